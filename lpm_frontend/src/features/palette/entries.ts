/**
 * What the palette offers. Words of both languages find an entry, whichever language the screen
 * speaks.
 */
import type { LucideIcon } from "lucide-react";

export interface Entry {
  readonly id: string;
  readonly words: string;
  /** Where it is from, for a memory. */
  readonly from?: string;
  readonly keys?: string;
  /** Further words that find it. */
  readonly also?: string;
  /** The person's own words, set in serif. */
  readonly own?: boolean;
  readonly icon: LucideIcon;
  readonly run: () => void;
}

export interface Group {
  readonly id: string;
  readonly name: string;
  readonly entries: readonly Entry[];
}

const plain = (words: string): string => words.normalize("NFKC").toLocaleLowerCase();

/** The entries in which every typed word begins a word or stands inside. */
export function matching(entries: readonly Entry[], typed: string): readonly Entry[] {
  const wanted = plain(typed)
    .split(/\s+/u)
    .filter((word) => word !== "");
  return entries.filter((entry) =>
    wanted.every((word) => plain(`${entry.words} ${entry.also ?? ""}`).includes(word)),
  );
}

/** Whether an entry's name, in either language, begins with what was typed. */
export const beginsSo = (entry: Entry, typed: string): boolean =>
  `${entry.words} ${entry.also ?? ""}`
    .split(/[\s:,、：]+/u)
    .some((word) => plain(typed).length > 1 && plain(word).startsWith(plain(typed)));
