/** The sentences of writing an entry, in the language in use; fetched when one is written. */
import { useLanguage } from ".";
import { captureEn } from "./en-capture";
import { captureJa } from "./ja-capture";

export const useCaptureText = (): typeof captureEn =>
  useLanguage() === "ja" ? captureJa : captureEn;
