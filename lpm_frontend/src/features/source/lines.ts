/**
 * Cuts a window of canonical text into numbered lines, with the cited span marked. Everything is
 * counted in code points.
 */
import { codePointLength, cut } from "@/lib/codepoints";
import type { TextWindow } from "@/lib/api/types";

export interface SourceLineOfText {
  readonly number: number;
  /** Code point at which the line begins. */
  readonly offset: number;
  readonly before: string;
  readonly marked: string;
  readonly after: string;
  /** A page begins with this line. */
  readonly page: number | null;
}

/**
 * Lines of a window whose `line` is the number of the line that its first code point stands in,
 * counted from 1.
 */
export function linesOf(
  window: TextWindow,
  start: number,
  end: number,
): readonly SourceLineOfText[] {
  const lines: SourceLineOfText[] = [];
  let offset = window.start;
  let number = window.line;
  let lastPage: number | null = null;
  for (const text of window.text.split("\n")) {
    const length = codePointLength(text);
    const page: number | null =
      window.pages.find(
        (candidate) => candidate.start < offset + Math.max(length, 1) && candidate.end > offset,
      )?.page ?? lastPage;
    const overlaps = start < offset + length && end > offset;
    const [before, marked, after] = overlaps ? cut(text, start, end, offset) : [text, "", ""];
    // Pages are parted by a form feed, which has no glyph.
    lines.push({
      number,
      offset,
      before: before.replace("\f", ""),
      marked: marked.replace("\f", ""),
      after,
      page: page !== lastPage ? page : null,
    });
    lastPage = page;
    offset += length + 1;
    number += 1;
  }
  // A window that ends with a line break leaves an empty line that belongs to what follows.
  if (window.end < window.length && window.text.endsWith("\n")) lines.pop();
  return lines;
}

/** The lines that the span stands in. */
export function markedLines(lines: readonly SourceLineOfText[]): readonly [number, number] | null {
  const marked = lines.filter((line) => line.marked !== "");
  const [first] = marked;
  const last = marked.at(-1);
  return first && last ? [first.number, last.number] : null;
}

const FENCE = /^(?:---|\+\+\+)[ \t]*$/u;
const CLOSE = /^(?:---|\.\.\.|\+\+\+)[ \t]*$/u;

/**
 * The number of the line that closes the front matter of a note; 0 where there is none in sight.
 * What stands in it is about the note, and none of its words.
 */
export function frontMatterEnd(lines: readonly SourceLineOfText[]): number {
  const words = (line: SourceLineOfText): string => line.before + line.marked + line.after;
  const [first, ...rest] = lines;
  if (first?.number !== 1 || !FENCE.test(words(first))) return 0;
  return rest.find((line) => CLOSE.test(words(line)))?.number ?? 0;
}
