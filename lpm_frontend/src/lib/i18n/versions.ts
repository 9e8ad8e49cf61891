/**
 * The sentences about the versions of a document, in the language in use: a dictionary of its own,
 * for wherever an original is shown.
 */
import { useLanguage } from ".";
import { versionsEn } from "./en-versions";
import { versionsJa } from "./ja-versions";

export const useVersionsText = (): typeof versionsEn =>
  useLanguage() === "ja" ? versionsJa : versionsEn;
