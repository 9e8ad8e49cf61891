import { describe, expect, it } from "vitest";
import { marked } from "./marked";
import { plain } from "./plain";

describe("marks", () => {
  it("cut a text in code points and lose nothing of it", () => {
    const parts = marked("𠮷 two tops", [
      { start: 6, end: 10 },
      { start: 2, end: 5 },
    ]);
    expect(parts).toEqual([
      { words: "𠮷 ", on: false },
      { words: "two", on: true },
      { words: " ", on: false },
      { words: "tops", on: true },
    ]);
    expect(
      marked("abc", [
        { start: 0, end: 2 },
        { start: 1, end: 9 },
      ])
        .map((part) => part.words)
        .join(""),
    ).toBe("abc");
  });

  it("outlast the marks of Markdown around them", () => {
    expect(marked("- I owe him a **proper goodbye**.", [{ start: 23, end: 30 }], plain)).toEqual([
      { words: "I owe him a proper ", on: false },
      { words: "goodbye", on: true },
      { words: ".", on: false },
    ]);
  });
});
