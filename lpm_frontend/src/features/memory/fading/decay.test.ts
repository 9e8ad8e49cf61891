import { describe, expect, it } from "vitest";
import { decayPath } from "./decay";

const DAY = 86_400_000;
const noted_at = "2026-01-01T12:00:00Z";
const heights = (path: string): number[] =>
  path
    .split(/[ML]/u)
    .slice(1)
    .map((each) => Number(each.trim().split(" ")[1]));

describe("the curve of what fades", () => {
  it("begins whole and falls to a third after two months without a use", () => {
    const path = decayPath({ noted_at, last_used: null, uses: 0 }, Date.parse(noted_at) + 60 * DAY);
    const [first, ...rest] = heights(path);
    expect(first).toBe(0);
    expect(rest.at(-1)).toBeCloseTo(100 * (1 - Math.exp(-1)), 1);
    expect(rest.every((height, at) => at === 0 || height >= (rest[at - 1] ?? 0))).toBe(true);
  });

  it("falls more slowly after each use, from the last of them on", () => {
    const now = Date.parse(noted_at) + 120 * DAY;
    const used = decayPath({ noted_at, last_used: "2026-03-02", uses: 1 }, now);
    expect(heights(used).at(-1)).toBeLessThan(50);
  });
});
