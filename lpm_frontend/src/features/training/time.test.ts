import { expect, test } from "vitest";
import { tookIn } from "./time";

test("what learning took counts the preferences, where there were any", () => {
  expect(tookIn({ seconds: 600, preferences: { seconds: 400, best_step: 48 } })).toBe(1000);
  expect(tookIn({ seconds: 600 })).toBe(600);
  expect(tookIn({ seconds: 600, preferences: null })).toBe(600);
  expect(tookIn(null)).toBe(0);
});
