/** A passage as one reads it: without the marks of headings, lists and kinds of statement. The original beside it is shown untouched. */
export function plain(passage: string): string {
  return passage
    .split("\n")
    .filter((line) => !/^\s*#+ Retain\s*$/u.test(line))
    .map((line) => line.replace(/^\s*(?:#{1,6} |> |[-*+] (?:[WBOS](?:\(c=[\d.]+\))? )?)/u, ""))
    .join("\n")
    .replace(/\n\s*\n/gu, "\n")
    .trim();
}
