import { expect, it } from "vitest";
import { wholeOf } from "./arrival-list";

it("counts what is through, and how far the rest of it came", () => {
  expect(wholeOf([])).toEqual({ through: 0, share: 0 });
  expect(
    wholeOf([
      { state: "read", progress: 1 },
      { state: "refused", progress: 0 },
      { state: "reading", progress: 0.5 },
      { state: "waiting", progress: 0 },
    ]),
  ).toEqual({ through: 2, share: 0.625 });
  expect(wholeOf([{ state: "known", progress: 0 }])).toEqual({ through: 1, share: 1 });
});
