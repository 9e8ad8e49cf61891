/**
 * The sentences of Training, in the language in use: a dictionary of its own, so that no other
 * screen fetches it.
 */
import { useLanguage } from ".";
import { trainingEn } from "./en-training";
import { trainingJa } from "./ja-training";

export type TrainingText = typeof trainingEn;

export const useTrainingText = (): TrainingText =>
  useLanguage() === "ja" ? trainingJa : trainingEn;
