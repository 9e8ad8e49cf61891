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

/** A row of a table as it is kept: "date: 3 May; place: Kyoto; what: chisels". */
const ROW = /^(?:[^:;\n]{1,40}: [^;\n]*; ){2,}[^:;\n]{1,40}: ?[^;\n]*;?$/u;
const CELLS = /^\s*\|(.+)\|\s*$/u;

/**
 * A row read out: what stands first, then each heading with its words. A heading without words says
 * nothing.
 */
function readOut(row: string): string {
  const [first, ...rest] = row
    .replace(/;$/u, "")
    .split("; ")
    .map((cell) => [cell.slice(0, cell.indexOf(":")), cell.slice(cell.indexOf(":") + 1).trim()])
    .filter(([, words]) => words !== "");
  if (!first) return "";
  const others = rest.map(([heading, words]) => `${heading} ${words}`).join(", ");
  return others === "" ? `${first[1]}` : `${first[1]}: ${others}`;
}

/** A line as one reads it. */
function plainLine(line: string): string {
  if (ROW.test(line)) return readOut(line);
  const cells = CELLS.exec(line)?.[1];
  if (cells !== undefined)
    return cells
      .split("|")
      .map((cell) => cell.trim())
      .filter((cell) => cell !== "")
      .join(" · ");
  return line.replace(BEGINS, "").replace(/^@([^:\n]{1,60}:)/u, "$1");
}

/**
 * A passage as one reads it: tables read out, without the marks of Markdown and of kinds of
 * statement. The original beside it is shown untouched.
 */
export function plain(passage: string): string {
  const lines = passage
    .split("\n")
    .filter((line) => !MARKS_ALONE.test(line))
    .map(plainLine);
  return AROUND.reduce((text, [mark, words]) => text.replace(mark, words), lines.join("\n"))
    .replace(/\n\s*\n/gu, "\n")
    .trim();
}
