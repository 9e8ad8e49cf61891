/** The ways to look at trainings, and what the address says of each. */
import type { Training } from "@/lib/api/types";

export const VIEWS = ["now", "scorecard", "versions", "inside"] as const;
export type View = (typeof VIEWS)[number];

export interface TrainingPlaceWish {
  readonly view: View;
  /** The training that is looked at; empty for the one that is most likely meant. */
  readonly id: string;
  /** A second one that is held beside it. */
  readonly beside: string;
}

export const trainingWishOf = (address: URLSearchParams): TrainingPlaceWish => ({
  view: VIEWS.find((view) => view === address.get("view")) ?? "now",
  id: address.get("id") ?? "",
  beside: address.get("with") ?? "",
});

export function trainingHref(view: View, id = "", beside = ""): string {
  const address = new URLSearchParams({ view });
  if (id !== "") address.set("id", id);
  if (beside !== "") address.set("with", beside);
  return `/training?${address.toString()}`;
}

/** Whether a statement is a memory, and not a sentence that was learned where it was written. */
export const isKept = (memory: string): boolean => !memory.startsWith("s_");

/** Where a statement is opened: what was only written, and not kept, is no memory. */
export const placeOf = (statement: {
  readonly memory: string;
  readonly document: string | null;
}): string =>
  isKept(statement.memory) || statement.document === null
    ? `/memory?view=today&id=${encodeURIComponent(statement.memory)}`
    : `/library?id=${encodeURIComponent(statement.document)}`;

/** A training that takes the place of another again; `insist` as it is not better. */
export interface WayBack {
  readonly id: string;
  readonly insist: boolean;
}

/** What a training takes the place of, to be taken into use again; `null` for the base. */
export function wayBack(runs: readonly Training[], taken: string): WayBack | null {
  const used = runs.find((run) => run.in_use && run.id !== taken);
  return used ? { id: used.id, insist: used.scorecard?.verdict.better === false } : null;
}

/** The training from which the first of its weeks went on; itself where it did not grow. */
export function firstOf(runs: readonly Training[], run: Training): Training {
  const seen = new Set<string>();
  let first = run;
  for (;;) {
    const before = runs.find((each) => each.id === first.settings["start"]);
    if (before === undefined || seen.has(before.id)) return first;
    seen.add(before.id);
    first = before;
  }
}
