/**
 * The keys and what they do, in the language in use: a dictionary of its own, fetched when the
 * table of keys is looked at.
 */
import { useLanguage } from ".";
import { keysEn } from "./en-keys";
import { keysJa } from "./ja-keys";

export const useKeysText = (): typeof keysEn => (useLanguage() === "ja" ? keysJa : keysEn);
