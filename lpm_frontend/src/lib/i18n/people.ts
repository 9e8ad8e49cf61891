/**
 * The sentences of People, in the language in use: a dictionary of its own, so that no other screen
 * fetches it.
 */
import { useLanguage } from ".";
import { peopleEn } from "./en-people";
import { peopleJa } from "./ja-people";

export type PeopleText = typeof peopleEn;

export const usePeopleText = (): PeopleText => (useLanguage() === "ja" ? peopleJa : peopleEn);
