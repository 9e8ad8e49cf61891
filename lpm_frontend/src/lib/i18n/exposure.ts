/**
 * The sentences of the page that says who can reach what, in the language in use: fetched with that
 * page alone.
 */
import { useLanguage } from ".";
import type { Widen } from "./en";
import { exposureEn } from "./en-exposure";
import { exposureJa } from "./ja-exposure";

export type ExposureText = Widen<typeof exposureEn>;

export const useExposureText = (): ExposureText =>
  useLanguage() === "ja" ? exposureJa : exposureEn;
