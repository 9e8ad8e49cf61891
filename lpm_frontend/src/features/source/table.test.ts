import { describe, expect, it } from "vitest";
import { linesOf } from "./lines";
import { tableOf } from "./table";

const windowOf = (text: string) => ({
  text,
  start: 0,
  end: text.length,
  length: text.length,
  line: 1,
  version: "text-1",
  pages: [],
});

describe("a table", () => {
  it("gets its columns back, and knows which row is cited", () => {
    const text = "day: 2025-01-01; km: 4; note: a, b\nday: 2025-01-02; note: c\n";
    expect(tableOf(linesOf(windowOf(text), 36, 50))).toEqual({
      headings: ["day", "km", "note"],
      rows: [
        { number: 1, marked: false, cells: { day: "2025-01-01", km: "4", note: "a, b" } },
        { number: 2, marked: true, cells: { day: "2025-01-02", note: "c" } },
      ],
    });
  });

  it("is none where a line is no row", () => {
    expect(tableOf(linesOf(windowOf("day: 1\nJust words.\n"), 0, 0))).toBeNull();
  });
});
