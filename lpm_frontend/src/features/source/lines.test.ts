import { describe, expect, it } from "vitest";
import { codePointLength } from "@/lib/codepoints";
import { frontMatterEnd, linesOf, markedLines } from "./lines";

const text = "One 𠮷.\nTwo spruce tops.\n\nFour.";
const window = {
  text,
  start: 100,
  end: 100 + codePointLength(text),
  length: 500,
  line: 7,
  version: "text-1",
  pages: [
    { page: 2, start: 90, end: 107 },
    { page: 3, start: 107, end: 200 },
  ],
};

describe("a window of text", () => {
  it("numbers its lines from the one that it begins in", () => {
    expect(linesOf(window, 0, 0).map((line) => line.number)).toEqual([7, 8, 9, 10]);
  });

  it("marks exactly the cited span, counted in code points", () => {
    const lines = linesOf(window, 104, 117);
    expect(lines.map((line) => line.marked)).toEqual(["𠮷.", "Two spruce", "", ""]);
    expect(lines.map((line) => line.before + line.marked + line.after).join("\n")).toBe(text);
    expect(markedLines(lines)).toEqual([7, 8]);
  });

  it("says where a page begins", () => {
    expect(linesOf(window, 0, 0).map((line) => line.page)).toEqual([2, 3, null, null]);
  });

  it("finds the page that begins behind a form feed", () => {
    const pdf = {
      text: "One.\n\fTwo.",
      start: 0,
      end: 10,
      length: 10,
      line: 1,
      version: "text-1",
      pages: [
        { page: 1, start: 0, end: 4 },
        { page: 2, start: 6, end: 10 },
      ],
    };
    expect(linesOf(pdf, 6, 10).map(({ page, before, marked }) => [page, before, marked])).toEqual([
      [1, "One.", ""],
      [2, "", "Two."],
    ]);
  });

  it("marks nothing when nothing is asked for", () => {
    expect(markedLines(linesOf(window, 0, 0))).toBeNull();
  });
});

describe("front matter", () => {
  const endOf = (text: string, line = 1): number =>
    frontMatterEnd(
      linesOf({ ...window, text, start: 0, end: codePointLength(text), line, pages: [] }, 0, 0),
    );

  it("ends where it is closed, and is none elsewhere", () => {
    expect(endOf("---\ncreated: 2026-11-26\n---\nGlue.\n---\nMore.")).toBe(3);
    expect(endOf("Glue.\n---\nMore.\n---")).toBe(0);
    expect(endOf("---\nnever closed")).toBe(0);
    expect(endOf("---\nGlue.\n---", 40)).toBe(0);
  });
});
