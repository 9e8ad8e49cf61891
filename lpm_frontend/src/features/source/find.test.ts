import { describe, expect, it } from "vitest";
import { stretchesOf } from "./find";

describe("finding within a text", () => {
  it("counts in code points, whatever the capitals", () => {
    expect(stretchesOf("𠮷 Two spruce tops, two.", "two")).toEqual([
      { start: 2, end: 5 },
      { start: 19, end: 22 },
    ]);
  });

  it("finds nothing for nothing, and nothing that is not there", () => {
    expect(stretchesOf("Words.", " ")).toEqual([]);
    expect(stretchesOf("Words.", "sword")).toEqual([]);
  });
});
