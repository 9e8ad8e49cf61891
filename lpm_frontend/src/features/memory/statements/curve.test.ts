import { expect, it } from "vitest";
import { placed } from "./curve";

const DAY = 86_400_000;
const START = Date.parse("2026-01-01T00:00:00Z");
const point = (day: number, confidence: number) => ({
  at: new Date(START + day * DAY).toISOString(),
  confidence,
  stance: null,
});

it("a view goes up and down in steps, from when it was said to now", () => {
  const { dots, path } = placed([point(0, 0.8), point(5, 0.6)], START + 10 * DAY);
  expect(dots.map(({ x, y }) => [x, Math.round(y)])).toEqual([
    [0, 20],
    [50, 40],
  ]);
  expect(path).toBe("M0.00 20.00 H50.00 V40.00 H100");
});

it("a view that was said a moment ago is a line too, and none is nothing", () => {
  expect(placed([point(0, 1)], START).path).toBe("M0.00 0.00 H100");
  expect(placed([], START).path).toBe("");
});
