import { expect, it } from "vitest";
import { timeLeft } from "./time-left";

it("says nothing before there is something to go by", () => {
  expect(timeLeft(undefined, { at: 0, share: 0 })).toBeNull();
  expect(timeLeft({ at: 0, share: 0 }, { at: 1_000, share: 0.5 })).toBeNull();
  expect(timeLeft({ at: 0, share: 0.5 }, { at: 60_000, share: 0.51 })).toBeNull();
  expect(timeLeft({ at: 0, share: 0.5 }, { at: 60_000, share: 1 })).toBeNull();
});

it("goes on as it went", () => {
  expect(timeLeft({ at: 0, share: 0 }, { at: 10_000, share: 0.25 })).toBe(30_000);
  expect(timeLeft({ at: 5_000, share: 0.5 }, { at: 15_000, share: 0.75 })).toBe(10_000);
});

it("is never negative", () => {
  for (let share = 0.03; share < 1; share += 0.07)
    expect(timeLeft({ at: 0, share: 0 }, { at: 9_000, share })).toBeGreaterThan(0);
});
