/**
 * What stands at the beginning of a line of Markdown: a heading, a quotation, a list, a kind of
 * statement.
 */
const BEGINS = /^\s*(?:#{1,6} |> |[-*+] (?:\[[ x]\] )?(?:[WBOS](?:\(c=[\d.]+\))? )?)/u;
/**
 * Lines that are nothing but marks: rules, fences, the line under the headings of a table, the
 * heading of what is retained.
 */
const MARKS_ALONE =
  /^\s*(?:#+ Retain|(?:[-*_] ?){3,}|(?:```|~~~).*|\|?(?:\s*:?-{2,}:?\s*\|)+\s*:?-*:?\s*)\s*$/u;
/**
 * Marks around words. A star or a line between letters or figures belongs to them, as in
 * `snake_case` and 2*3.
 */
const AROUND: readonly (readonly [RegExp, string])[] = [
  [/!?\[([^\]\n]*)\]\([^)\s]+\)/gu, "$1"],
  [/(\*\*|__|~~)(?=[^\s*_~])([^\n]*?[^\s*_~])\1/gu, "$2"],
  [/(?<![\p{L}\p{N}*_])([*_])(?=[^\s*_])([^\n]*?[^\s*_])\1(?![\p{L}\p{N}*_])/gu, "$2"],
  [/`([^`\n]+)`/gu, "$1"],
];

/**
 * A passage as one reads it: without the marks of Markdown and of kinds of statement. The original
 * beside it is shown untouched.
 */
export function plain(passage: string): string {
  const lines = passage
    .split("\n")
    .filter((line) => !MARKS_ALONE.test(line))
    .map((line) => line.replace(BEGINS, ""));
  return AROUND.reduce((text, [mark, words]) => text.replace(mark, words), lines.join("\n"))
    .replace(/\n\s*\n/gu, "\n")
    .trim();
}
