import { describe, expect, it } from "vitest";
import { confidenceOf, stepOf, STEPS } from "./sure";

describe("how sure", () => {
  it("has five steps", () => {
    expect([0, 0.39, 0.4, 0.55, 0.7, 0.87, 0.88, 1].map(stepOf)).toEqual([1, 1, 2, 3, 4, 4, 5, 5]);
  });

  it("writes a number that reads as the step that was chosen, and leaves a number of that step alone", () => {
    for (const step of STEPS) expect(stepOf(confidenceOf(step, null))).toBe(step);
    expect(confidenceOf(5, 0.9)).toBe(0.9);
    expect(confidenceOf(1, 0.9)).toBe(0.3);
  });
});
