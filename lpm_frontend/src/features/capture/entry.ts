/** An entry of today as the document that it becomes. */
import { formatDate, formatTime, type Language } from "@/lib/i18n";

export interface Entry {
  readonly text: string;
  readonly title: string;
  readonly created_at: string;
}

/** A moment as the person's clock shows it, to the second: `2026-11-26T08:12:33+09:00`. */
export function stamp(moment: Date): string {
  const two = (n: number): string => String(Math.trunc(Math.abs(n))).padStart(2, "0");
  const ahead = -moment.getTimezoneOffset();
  const local = new Date(moment.getTime() + ahead * 60_000).toISOString().slice(0, 19);
  return `${local}${ahead < 0 ? "-" : "+"}${two(ahead / 60)}:${two(ahead % 60)}`;
}

/**
 * The document of an entry that was written at a moment (see `stamp`).
 *
 * Its front matter says when: the same words of another day are another document, and what is sent
 * twice with one moment is one.
 */
export const entryOf = (words: string, moment: string, language: Language): Entry => ({
  text: `---\ncreated: ${moment}\n---\n${words.trim()}`,
  title: `${formatDate(moment, language)} ${formatTime(moment, language)}`,
  created_at: moment,
});
