/** The sentences of the Profile; fetched with this screen alone. */
import { useLanguage } from ".";
import { profileEn } from "./en-profile";
import { profileJa } from "./ja-profile";

export type ProfileText = typeof profileEn;

export const useProfileText = (): ProfileText => (useLanguage() === "ja" ? profileJa : profileEn);
