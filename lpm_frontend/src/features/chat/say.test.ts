import { describe, expect, it } from "vitest";
import type { Part } from "@/lib/api/types";
import type { Answer, NoteOf } from "./exchanges";
import { isLine, isMarkdown, markdownOf, placeOfNote, sourceOf } from "./say";

const part = (kind: Part["kind"], text: string, ...citations: number[]): Part => ({
  kind,
  text,
  citations,
});
const note = (n: number, title: string, quote: string): NoteOf => ({
  key: `${n}`,
  n,
  quote,
  author: null,
  title,
  documentKind: "text",
  kind: "passage",
  confidence: null,
  source: "documents/d#L3",
  anchor: null,
  document: "d",
  start: 0,
  end: 1,
  private: false,
  struck: false,
  saidIn: null,
  item: undefined,
});
const answer = (...parts: Part[]): Answer => ({
  id: "t",
  variants: [],
  verdict: null,
  speaker: null,
  phase: "done",
  parts,
  citations: [],
  evidence: [],
  abstained: false,
  model: null,
  error: null,
  voice: "base",
  problem: null,
  inMind: 0,
});

describe("an answer as Markdown", () => {
  it("quotes what is quoted and puts each source at the foot", () => {
    const copied = markdownOf(
      answer(
        part("note", "You wrote:"),
        part("quotation", "I moved\non Friday.", 1),
        part("statement", "It was April.", 1, 2),
      ),
      [note(1, "diary.md", "I moved\non Friday."), note(2, "lease.pdf", "April")],
      () => "#L3",
    );
    expect(copied).toBe(
      "You wrote:\n\n> I moved\n> on Friday.[^1]\n\nIt was April.[^1][^2]\n\n[^1]: diary.md#L3: “I moved on Friday.”\n[^2]: lease.pdf#L3: “April”",
    );
  });

  it("keeps the lines of a list together", () => {
    expect(
      markdownOf(answer(part("statement", "- One.", 1), part("statement", "- Two.")), [], () => ""),
    ).toBe("- One.[^1]\n- Two.");
  });
});

describe("what is drawn as Markdown", () => {
  it.each([
    "- a list",
    "1. a list",
    "## A heading",
    "| a | b |",
    "```sh",
    "some **bold** word",
    "a `name` here",
    "see [there](https://example.org)",
  ])("%s is", (text) => expect(isMarkdown(text)).toBe(true));
  it.each(["A plain sentence.", "2024 was wet.", "5 * 3 * 2 = 30", "雨だった。", "- "])(
    "%s is not, or says nothing",
    (text) => expect(isMarkdown(text) && text.trim().length > 1).toBe(false),
  );

  it("puts the number of a source behind its sentence, and never into code", () => {
    expect(sourceOf([part("statement", "- One.", 1), part("statement", "- Two.", 2)])).toBe(
      "- One.\uE0001\uE001\n- Two.\uE0002\uE001",
    );
    expect(sourceOf([part("statement", "```sh\nmake\n```", 1)])).toBe(
      "```sh\nmake\n```\n\n\uE0001\uE001",
    );
    expect(sourceOf([part("statement", "| a | b |", 1)])).toBe("| a | b \uE0001\uE001|");
  });
});

describe("the direct line", () => {
  const line = part("statement", "840 mm.", 1);
  const lead = part("note", "Doyle, 18 March:");
  const quotation = part("quotation", "The gate is 840 mm.", 1);

  it("stands before the quotation that it is taken from, and its note folds under that", () => {
    const parts = [line, lead, quotation];
    expect(parts.map((one) => isLine(parts, one))).toEqual([true, false, false]);
    expect(placeOfNote(parts, 1)).toBe(2);
  });

  it("is no sentence of its own, nor one that rests on something else", () => {
    expect(isLine([line], line)).toBe(false);
    expect(isLine([line, part("quotation", "Rain.", 2)], line)).toBe(false);
    expect(placeOfNote([line, part("quotation", "Rain.", 2)], 1)).toBe(0);
  });

  it("is no sentence after the quotation", () => {
    const parts = [lead, quotation, line];
    expect(parts.some((one) => isLine(parts, one))).toBe(false);
    expect(placeOfNote(parts, 1)).toBe(1);
  });
});
