/**
 * What the page must know before the node has answered: language and light, kept beside the page
 * and put on the root element.
 */
import type { Language } from "./i18n";
import { browserLanguage } from "./i18n";

export interface Prefs {
  readonly language: "system" | "en" | "ja";
  readonly theme: "system" | "light" | "dark";
  readonly single_keys: boolean;
}

const KEY = "second-me";
export const DEFAULT_PREFS: Prefs = { language: "system", theme: "system", single_keys: true };

/** Read what was kept at the last visit. Storage may be switched off; then it is the default. */
export function readPrefs(): Prefs {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return { ...DEFAULT_PREFS, ...(typeof kept === "object" ? kept : {}) };
  } catch {
    return DEFAULT_PREFS;
  }
}

/** Tell whether this browser was here before, so that it knows language and light by itself. */
export function knowsPrefs(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

export function keepPrefs(prefs: Prefs): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(prefs));
  } catch {
    // Without storage the page asks the node again at the next visit.
  }
}

export const resolveLanguage = (chosen: Prefs["language"]): Language =>
  chosen === "system" ? browserLanguage() : chosen;

export function resolveTheme(chosen: Prefs["theme"]): "light" | "dark" {
  if (chosen !== "system") return chosen;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Put language and light on the root element, as the boot script did before first paint. */
export function applyPrefs(prefs: Prefs): void {
  document.documentElement.lang = resolveLanguage(prefs.language);
  document.documentElement.dataset["theme"] = resolveTheme(prefs.theme);
}

/**
 * Runs before first paint, in the head, as text: it cannot import anything, so it says the same as
 * above once more.
 */
export const BOOT_SCRIPT = `(function(){var r=document.documentElement,p={};try{p=JSON.parse(localStorage.getItem("${KEY}")||"{}")||{}}catch(e){}r.dataset.theme=p.theme==="light"||p.theme==="dark"?p.theme:matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light";r.lang=p.language==="en"||p.language==="ja"?p.language:/^ja\\b/i.test(navigator.language)?"ja":"en"})()`;
