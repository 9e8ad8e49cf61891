/**
 * The sentences of Opinions and Biography, and of what waits to be settled; fetched with these
 * screens alone.
 */
import { useLanguage } from ".";
import { livesEn } from "./en-lives";
import { livesJa } from "./ja-lives";

export type LivesText = typeof livesEn;

export const useLivesText = (): LivesText => (useLanguage() === "ja" ? livesJa : livesEn);
