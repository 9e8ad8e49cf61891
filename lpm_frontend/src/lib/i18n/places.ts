/**
 * The sentences of Memory's tabs, in the language in use: a dictionary of its own, so that no other
 * screen fetches it.
 */
import { useLanguage } from ".";
import { placesEn } from "./en-places";
import { placesJa } from "./ja-places";

export type PlacesText = typeof placesEn;

export const usePlacesText = (): PlacesText => (useLanguage() === "ja" ? placesJa : placesEn);
