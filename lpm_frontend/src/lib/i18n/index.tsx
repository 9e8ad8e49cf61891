"use client";
/**
 * The language of the screens: chosen in Settings, else the browser's. Holds every sentence;
 * components hold none.
 */
import { createContext, useContext, useMemo, type ReactNode } from "react";
import { en, type Text } from "./en";
import { ja } from "./ja";

export type Language = "en" | "ja";
export type { Text } from "./en";

const TEXTS: Record<Language, Text> = { en, ja };

/** The language that the browser asks for, of those that exist. */
export const browserLanguage = (): Language =>
  typeof navigator !== "undefined" && /^ja\b/i.test(navigator.language) ? "ja" : "en";

interface Speech {
  readonly language: Language;
  readonly text: Text;
}
const SpeechContext = createContext<Speech>({ language: "en", text: en });

export function SpeechProvider({
  language,
  children,
}: {
  language: Language;
  children: ReactNode;
}) {
  const speech = useMemo<Speech>(() => ({ language, text: TEXTS[language] }), [language]);
  return <SpeechContext value={speech}>{children}</SpeechContext>;
}

/** Every sentence, in the language in use. */
export const useText = (): Text => useContext(SpeechContext).text;
export const useLanguage = (): Language => useContext(SpeechContext).language;

/** Dates as 20 Nov 2025 or 2025年11月20日. A date without a time is not moved by a time zone. */
export function formatDate(iso: string, language: Language): string {
  const day = /^\d{4}-\d{2}-\d{2}$/.exec(iso.slice(0, 10));
  const dateOnly = iso.length === 10 || /T00:00:00(\.0+)?(Z|[+-]\d\d:\d\d)?$/.test(iso);
  const date = new Date(dateOnly && day ? `${iso.slice(0, 10)}T12:00:00` : iso);
  if (Number.isNaN(date.getTime())) return "";
  // British English shortens September to four letters, and every other month to three.
  return new Intl.DateTimeFormat(language === "ja" ? "ja-JP" : "en-GB", {
    year: "numeric",
    month: language === "ja" ? "long" : "short",
    day: "numeric",
  })
    .format(date)
    .replace("Sept", "Sep");
}

/** The time of day, as 14:05. */
export function formatTime(iso: string, language: Language): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime())
    ? ""
    : new Intl.DateTimeFormat(language === "ja" ? "ja-JP" : "en-GB", {
        hour: "2-digit",
        minute: "2-digit",
      }).format(date);
}

/** Names one after the other: "Mai, Ren and Noto" or 舞、蓮、能登. */
export const listed = (names: readonly string[], language: Language): string =>
  new Intl.ListFormat(language, { type: "conjunction" }).format(names);

/** Sizes as 640 B, 12 kB, 3.1 MB. */
export function formatBytes(bytes: number, language: Language): string {
  const [unit, value] =
    bytes < 1000
      ? ["B", bytes]
      : bytes < 1e6
        ? ["kB", bytes / 1e3]
        : bytes < 1e9
          ? ["MB", bytes / 1e6]
          : ["GB", bytes / 1e9];
  return `${value.toLocaleString(language, { maximumFractionDigits: value < 10 && bytes >= 1000 ? 1 : 0 })} ${unit}`;
}
