/**
 * The sentences of Settings, in the language in use: a dictionary of its own, fetched with that
 * screen alone.
 */
import { useLanguage } from ".";
import type { Widen } from "./en";
import { settingsEn } from "./en-settings";
import { settingsJa } from "./ja-settings";

export type SettingsText = Widen<typeof settingsEn>;

export const useSettingsText = (): SettingsText =>
  useLanguage() === "ja" ? settingsJa : settingsEn;
