/** Every word that a person meets leads somewhere, in either language. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { matching, type Entry } from "./entries";
import { foundBy, JA, PLACES, WITHIN } from "./leads";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/glossary.md"), "utf8");
const [read = ""] = page.split("## What the code says");
/** The words of the first table: `**delete**, **erase**` and 削除, 消去. */
const WORDS = read
  .split("\n")
  .filter((line) => line.startsWith("| **"))
  .flatMap((line) => line.split("|").slice(1, 3))
  .flatMap((cell) => cell.replaceAll("**", "").split(","))
  .map((word) => word.trim());

const entries: readonly Entry[] = [...PLACES, ...WITHIN].map((lead) => ({
  id: lead.id,
  words: lead.words(JA),
  also: foundBy(lead),
  icon: lead.icon,
  run: () => undefined,
}));
const found = (typed: string): readonly string[] => matching(entries, typed).map(({ id }) => id);

it("knows the glossary", () => {
  expect(WORDS.length).toBeGreaterThan(60);
  expect(WORDS.filter((word) => found(word).length === 0)).toEqual([]);
});

it("leads to where the thing is", () => {
  expect(found("grant")).toEqual(["people grants"]);
  expect(found("許可")).toEqual(["people grants"]);
  expect(found("招待")).toEqual(["people contacts"]);
  expect(found("Timeline")).toEqual(["memory timeline"]);
  expect(found("成績表")).toEqual(["training scorecard"]);
  expect(found("embedder")).toEqual(["settings meaning"]);
});
