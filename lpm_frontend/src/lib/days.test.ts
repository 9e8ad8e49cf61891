import { describe, expect, it } from "vitest";
import {
  dayAndWeekday,
  bounds,
  dayName,
  fullness,
  isDay,
  later,
  strength,
  weekday,
  weekdayName,
  weeksOf,
} from "./days";

describe("days of the calendar", () => {
  it("go on over the ends of months and leap years", () => {
    expect([later("2024-02-28", 1), later("2024-03-01", -1), later("2025-12-31", 1)]).toEqual([
      "2024-02-29",
      "2024-02-29",
      "2026-01-01",
    ]);
    expect([isDay("2025-02-29"), isDay("2024-02-29"), isDay("soon")]).toEqual([false, true, false]);
  });

  it("lie in a week from Monday to Sunday and in a month", () => {
    expect(weekday("2025-11-18")).toBe(1);
    expect(bounds("2025-11-18", "week")).toEqual(["2025-11-17", "2025-11-23"]);
    expect(bounds("2024-02-10", "month")).toEqual(["2024-02-01", "2024-02-29"]);
    expect(bounds("2025-12-31", "month")).toEqual(["2025-12-01", "2025-12-31"]);
  });

  it("make up a year of whole weeks, in which each day stands once", () => {
    for (const year of [2023, 2024, 2025, 2028]) {
      const weeks = weeksOf(year);
      expect(weeks.every((week) => week.length === 7)).toBe(true);
      const days = weeks.flat().filter((day) => day !== "");
      expect([days[0], days.at(-1), days.length]).toEqual([
        `${year}-01-01`,
        `${year}-12-31`,
        year % 4 === 0 ? 366 : 365,
      ]);
    }
  });

  it("are named as each language does", () => {
    expect([
      weekdayName("2025-11-18", "en"),
      weekdayName("2025-11-18", "ja", true),
      dayName("2025-09-02", "ja"),
      dayAndWeekday("2025-11-18", "en"),
      dayAndWeekday("2025-11-18", "ja"),
    ]).toEqual(["Tuesday", "火", "2025年9月2日", "Tue 18 November 2025", "2025年11月18日（火）"]);
  });
});

it("a day that holds anything has a colour, a full one the strongest, and a single crowded day pales no other", () => {
  expect([
    strength(0, 90),
    strength(1, 90),
    strength(90, 90),
    strength(400, 90),
    strength(1, 1),
    strength(20, 90),
  ]).toEqual([0, 1, 4, 4, 4, 2]);
  expect([fullness([]), fullness([7]), fullness([1, 2, 1, 3, 2, 1, 2, 4, 4, 5, 161])]).toEqual([
    1, 7, 5,
  ]);
});
