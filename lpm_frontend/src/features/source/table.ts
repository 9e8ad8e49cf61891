/**
 * A table as it was: the node writes each row as `heading: value; heading: value`, so that it can
 * be read alone.
 */
import type { SourceLineOfText } from "./lines";

export interface TableRow {
  readonly number: number;
  readonly marked: boolean;
  readonly cells: Readonly<Record<string, string>>;
}

export interface TableOfText {
  readonly headings: readonly string[];
  readonly rows: readonly TableRow[];
}

/** Put lines back into columns; `null` where they are not rows with headings. */
export function tableOf(lines: readonly SourceLineOfText[]): TableOfText | null {
  const headings: string[] = [];
  const rows: TableRow[] = [];
  for (const line of lines) {
    const said = line.before + line.marked + line.after;
    if (said.trim() === "") continue;
    const cells: Record<string, string> = {};
    for (const part of said.split("; ")) {
      const at = part.indexOf(": ");
      if (at <= 0) return null;
      const heading = part.slice(0, at);
      cells[heading] = part.slice(at + 2);
      if (!headings.includes(heading)) headings.push(heading);
    }
    rows.push({ number: line.number, marked: line.marked !== "", cells });
  }
  return rows.length === 0 || headings.length > 40 ? null : { headings, rows };
}
