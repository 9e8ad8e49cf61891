/** An answer as text: Markdown with its sources as footnotes, for the clipboard. */
import type { Part } from "@/lib/api/types";
import type { Answer, NoteOf } from "./exchanges";

/** A part that begins a line of its own in Markdown: a list, a heading, a row of a table, code. */
export const STRUCTURED = /^\s*(?:[-*+] |\d{1,2}[.)] |#{1,6} |\||```|> )/u;

/** Markdown anywhere in it, beyond plain sentences. */
export const isMarkdown = (text: string): boolean =>
  STRUCTURED.test(text) || /\*\*[^*\n]+\*\*|`[^`\n]+`|\[[^\]\n]+\]\([^)\n]+\)/u.test(text);

/**
 * Put an answer into Markdown; quotations are quoted, each source is a footnote. `place` says where
 * a source stands.
 */
export function markdownOf(
  answer: Answer,
  cited: readonly NoteOf[],
  place: (note: NoteOf) => string,
): string {
  const footnotes = cited.filter((note) => note.n !== null);
  const marks = (numbers: readonly number[]): string => numbers.map((n) => `[^${n}]`).join("");
  let body = "";
  for (const part of answer.parts) {
    const words = part.text.trim();
    const said =
      part.kind === "quotation"
        ? words
            .split("\n")
            .map((line) => `> ${line}`)
            .join("\n")
        : words;
    const apart =
      body === "" ? "" : part.kind !== "statement" || !STRUCTURED.test(words) ? "\n\n" : "\n";
    body += `${apart}${said}${marks(part.citations)}`;
  }
  const notes = footnotes.map(
    (note) =>
      `[^${note.n}]: ${note.title}${place(note)}: “${note.quote.replace(/\s+/gu, " ").trim()}”`,
  );
  return [body, ...(notes.length > 0 ? ["", ...notes] : [])].join("\n");
}

/** What draws sentences that are Markdown is given. */
/** The direct line: a sentence before the quotation that it is taken from. */
export const isLine = (parts: readonly Part[], part: Part): boolean =>
  part === parts[0] &&
  part.kind === "statement" &&
  parts.find(({ kind }) => kind === "quotation")?.citations[0] === part.citations[0] &&
  parts.findIndex(({ kind }) => kind === "quotation") <= 2;

/** The part under which a note folds: the quotation under a direct line, else the first. */
export function placeOfNote(parts: readonly Part[], n: number): number {
  const first = parts.findIndex((part) => part.citations.includes(n));
  const line = parts[0];
  return first === 0 && line && isLine(parts, line)
    ? parts.findIndex((part) => part.kind === "quotation")
    : first;
}

export interface WrittenProps {
  parts: readonly Part[];
  answer: Answer;
  lit: number | null;
  onLight: (n: number | null) => void;
  onOpen: (n: number) => void;
}

/** Private-use signs around a number: where a source belongs, inside the Markdown. */
export const OPENS = "\uE000";
export const CLOSES = "\uE001";

/** One Markdown text, in which the numbers of what each sentence rests on stand right after it. */
export function sourceOf(parts: readonly Part[]): string {
  let text = "";
  for (const part of parts) {
    const words = part.text.replaceAll(OPENS, "").replaceAll(CLOSES, "").trim();
    const marks = part.citations.map((n) => `${OPENS}${n}${CLOSES}`).join("");
    // A number inside a fence or behind the last bar of a row would be taken for code or for a
    // cell.
    const marked = words.endsWith("```")
      ? `${words}\n\n${marks}`
      : words.endsWith("|")
        ? `${words.slice(0, -1)}${marks}|`
        : `${words}${marks}`;
    text += `${text === "" ? "" : STRUCTURED.test(words) ? "\n" : " "}${marked}`;
  }
  return text;
}
