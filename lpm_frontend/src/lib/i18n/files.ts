/**
 * The sentences about the files of the workspace, in the language in use: a dictionary of its own,
 * fetched with that screen alone.
 */
import { useLanguage } from ".";
import { filesEn } from "./en-files";
import { filesJa } from "./ja-files";

export const useFilesText = (): typeof filesEn => (useLanguage() === "ja" ? filesJa : filesEn);
