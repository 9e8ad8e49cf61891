/** The sentences of the lock, in the language in use: a dictionary of its own, for two places. */
import { useLanguage } from ".";
import type { Widen } from "./en";
import { lockEn } from "./en-lock";
import { lockJa } from "./ja-lock";

export type LockText = Widen<typeof lockEn>;

export const useLockText = (): LockText["lock"] => (useLanguage() === "ja" ? lockJa : lockEn).lock;
