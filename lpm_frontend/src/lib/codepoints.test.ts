import { describe, expect, it } from "vitest";
import { codePointLength, cut, unitIndex } from "./codepoints";

describe("code points", () => {
  const text = "凪𠮷👩‍🎻 plays\nvarnish";

  it("finds the unit at which a code point begins", () => {
    expect(unitIndex(text, 0)).toBe(0);
    expect(unitIndex(text, 1)).toBe(1);
    expect(unitIndex(text, 2)).toBe(3);
    expect(unitIndex(text, 999)).toBe(text.length);
  });

  it("counts what the node counts", () => {
    expect(codePointLength(text)).toBe(Array.from(text).length);
    expect(codePointLength("")).toBe(0);
  });

  it("cuts a span out without breaking a character in two", () => {
    expect(cut(text, 1, 2)).toEqual(["凪", "𠮷", "👩‍🎻 plays\nvarnish"]);
    expect(cut("abc", 11, 12, 10)).toEqual(["a", "b", "c"]);
    expect(cut("abc", 0, 99)).toEqual(["", "abc", ""]);
    expect(cut("abc", 2, 1)).toEqual(["ab", "", "c"]);
  });
});
