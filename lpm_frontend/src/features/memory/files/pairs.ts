/** A diff in two columns: what stood there, and what stands there in its place. */
import type { DiffLine } from "@/lib/api/types";

export interface Pair {
  /** Nothing where a line was added. */
  readonly before: DiffLine | null;
  /** Nothing where a line was removed. */
  readonly after: DiffLine | null;
}

/**
 * Put each run of removed lines beside the added ones that follow it; what stayed the same stands
 * on both sides.
 */
export function pairsOf(lines: readonly DiffLine[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const settle = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      pairs.push({ before: removed[at] ?? null, after: added[at] ?? null });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.part === "removed") {
      if (added.length > 0) settle();
      removed.push(line);
    } else if (line.part === "added") added.push(line);
    else {
      settle();
      pairs.push({ before: line, after: line });
    }
  }
  settle();
  return pairs;
}
