/** Days of the calendar as the node writes them, `2025-11-18`: no time, and so no time zone. */
import type { Language } from "./i18n";

export type Span = "day" | "week" | "month";
export const SPANS: readonly Span[] = ["day", "week", "month"];

const DAY_MS = 86_400_000;
const noon = (day: string): number => Date.parse(`${day}T12:00:00Z`);
const iso = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

export const isDay = (written: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/u.test(written) &&
  !Number.isNaN(noon(written)) &&
  iso(noon(written)) === written;

/** Today, where the person is. */
export const today = (): string => new Date().toLocaleDateString("sv");
export const yearOf = (day: string): number => Number(day.slice(0, 4));
export const later = (day: string, days: number): string => iso(noon(day) + days * DAY_MS);
/** 0 is Monday. */
export const weekday = (day: string): number => (new Date(noon(day)).getUTCDay() + 6) % 7;

/** The first and the last day of the day, week or month in which a day lies. */
export function bounds(day: string, span: Span): readonly [string, string] {
  switch (span) {
    case "day":
      return [day, day];
    case "week": {
      const monday = later(day, -weekday(day));
      return [monday, later(monday, 6)];
    }
    case "month": {
      const first = `${day.slice(0, 7)}-01`;
      return [first, later(`${later(first, 31).slice(0, 7)}-01`, -1)];
    }
  }
}

/** The weeks of a year from Monday to Sunday; a day of another year is empty. */
export function weeksOf(year: number): readonly (readonly string[])[] {
  const written = String(year).padStart(4, "0");
  const weeks: string[][] = [];
  for (
    let monday = bounds(`${written}-01-01`, "week")[0];
    monday <= `${written}-12-31`;
    monday = later(monday, 7)
  ) {
    weeks.push(
      Array.from({ length: 7 }, (_, at) => later(monday, at)).map((day) =>
        day.startsWith(written) ? day : "",
      ),
    );
  }
  return weeks;
}

/**
 * What counts as full: more than nine in ten of the days that hold something. One crowded day is
 * not to pale all others.
 */
export function fullness(counts: readonly number[]): number {
  const sorted = counts.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.9)] ?? 1;
}

/** How strong a day's colour is, 0 to 4. */
export const strength = (n: number, full: number): number =>
  n <= 0 ? 0 : Math.min(4, Math.ceil(4 * Math.sqrt(n / Math.max(1, full))));

const locale = (language: Language): string => (language === "ja" ? "ja-JP" : "en-GB");
const format = (moment: number, language: Language, how: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(locale(language), { ...how, timeZone: "UTC" })
    .format(moment)
    .replace("Sept", "Sep");

/** As "Tuesday" or 火曜日; short as "Tue" or 火. */
export const weekdayName = (day: string, language: Language, short = false): string =>
  format(noon(day), language, { weekday: short ? "short" : "long" });
/** As "Tue 18 November 2025" or 2025年11月18日（火）. */
export const dayAndWeekday = (day: string, language: Language): string => {
  const name = weekdayName(day, language, true);
  return language === "ja"
    ? `${dayName(day, language)}（${name}）`
    : `${name} ${dayName(day, language)}`;
};
/** As "Nov" or 11月. */
export const monthName = (day: string, language: Language): string =>
  format(noon(day), language, { month: "short" });
/** As "18 Nov" or 11月18日, of a day that is near. */
export const nearDayName = (day: string, language: Language): string =>
  format(noon(day), language, { month: language === "ja" ? "long" : "short", day: "numeric" });
/** As "18 November 2025" or 2025年11月18日. */
export const dayName = (day: string, language: Language): string =>
  format(noon(day), language, { year: "numeric", month: "long", day: "numeric" });
/** As "November 2025" or 2025年11月. */
export const monthOfYear = (day: string, language: Language): string =>
  format(noon(day), language, { year: "numeric", month: "long" });
