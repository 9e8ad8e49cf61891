/**
 * Finding words within one text: the whole of it is read once, when somebody looks for something.
 */
import { queryOptions } from "@tanstack/react-query";
import { readText } from "@/lib/api/documents";
import { codePointLength } from "@/lib/codepoints";

const MOST = 2_000;

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Where words stand in a text, in code points; capitals do not matter. */
export function stretchesOf(text: string, words: string): readonly Stretch[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return [];
  const folded = text.toLowerCase();
  // A text whose letters change their length in lower case is looked through as it stands.
  const within = folded.length === text.length ? folded : text;
  const found: Stretch[] = [];
  const size = codePointLength(wanted);
  let counted = 0;
  let from = 0;
  for (
    let at = within.indexOf(wanted);
    at >= 0 && found.length < MOST;
    at = within.indexOf(wanted, at + wanted.length)
  ) {
    counted += codePointLength(text.slice(from, at));
    from = at;
    found.push({ start: counted, end: counted + size });
  }
  return found;
}

export const wholeQuery = (document: string) =>
  queryOptions({
    queryKey: ["documents", "whole", document],
    queryFn: ({ signal }) => readText(document, signal),
    staleTime: 60_000,
  });
