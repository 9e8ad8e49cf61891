import { expect, test } from "vitest";
import type { DiffLine } from "@/lib/api/types";
import { pairsOf } from "./pairs";

const line = (said: string): DiffLine => {
  const part = ({ " ": "same", "+": "added", "-": "removed", "…": "skipped" } as const)[
    said[0] as " " | "+" | "-" | "…"
  ];
  return { part, text: said.slice(1), before: null, after: null };
};
const columns = (...lines: string[]): string[] =>
  pairsOf(lines.map(line)).map(
    ({ before, after }) => `${before?.text ?? "∅"}|${after?.text ?? "∅"}`,
  );

test("a line in the place of another stands beside it, and one more stands alone", () => {
  expect(columns("…", " a", "-b", "+c", "+d", " e")).toEqual(["|", "a|a", "b|c", "∅|d", "e|e"]);
});
test("what is only added or only removed has nothing beside it", () => {
  expect(columns("+a")).toEqual(["∅|a"]);
  expect(columns("-a", " b")).toEqual(["a|∅", "b|b"]);
});
test("two changes one after the other are two", () => {
  expect(columns("-a", "+b", "-c", "+d")).toEqual(["a|b", "c|d"]);
});
