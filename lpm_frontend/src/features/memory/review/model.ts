/**
 * Going through suggestions, as values: which stand on the page, what became of each, where one is,
 * what is selected, and what can be taken back.
 */
import type { Finding, ReviewedOne } from "@/lib/api/types";

export type Verdict = "keep" | "dismiss";

/** What became of one of them. */
export type Standing =
  | { readonly as: "open" }
  | { readonly as: "saving" | "saved" | "failed"; readonly verdict: Verdict }
  | { readonly as: "elsewhere"; readonly verdict: "keep" | "dismiss" | "forget" | "mend" }
  | { readonly as: "gone" | "changed" }
  | { readonly as: "refused"; readonly why: string };

/** A decision as it was made, by which it is taken back. */
export interface Made {
  /** The suggestion that was decided about. */
  readonly row: string;
  readonly id: string;
  readonly at: string;
}

/** What was decided by one key: one of them or many, taken back together. */
export interface Act {
  readonly id: number;
  readonly verdict: Verdict;
  readonly rows: readonly Finding[];
  /** Nothing, while it is being saved or where that failed. */
  readonly made: readonly Made[] | null;
}

export interface Review {
  readonly rows: readonly Finding[];
  /** Of every suggestion that was on a page since one began. */
  readonly standing: ReadonlyMap<string, Standing>;
  /** Where one is on the page. */
  readonly at: number;
  /** Where the selection begins; -1 for nowhere. */
  readonly anchor: number;
  readonly chosen: ReadonlySet<string>;
  /** What can be taken back, the last one last. */
  readonly acts: readonly Act[];
  /** How many there are to go through, those that were decided since one began included. */
  readonly all: number;
  /** There are more than that, in older documents. */
  readonly further: boolean;
}

export const NOTHING: Review = {
  rows: [],
  standing: new Map(),
  at: 0,
  anchor: -1,
  chosen: new Set(),
  acts: [],
  all: 0,
  further: false,
};
const OPEN: Standing = { as: "open" };

export const standingOf = ({ standing }: Review, id: string): Standing => standing.get(id) ?? OPEN;
/** It still waits: nobody decided, or it was not saved. */
export const isOpen = (standing: Standing): boolean =>
  standing.as === "open" || standing.as === "failed" || standing.as === "refused";

const count = ({ standing }: Review, those: (standing: Standing) => boolean): number =>
  [...standing.values()].filter(those).length;
/** How many do not wait any more. */
export const done = (review: Review): number => count(review, (each) => !isOpen(each));
/** How many were on a page and still wait: the next page begins behind them. */
export const leftOpen = (review: Review): number => count(review, isOpen);
export const openOnPage = (review: Review): readonly Finding[] =>
  review.rows.filter(({ id }) => isOpen(standingOf(review, id)));
export const failedActs = (review: Review): readonly Act[] =>
  review.acts.filter(
    ({ made, rows }) =>
      made === null && rows.some(({ id }) => standingOf(review, id).as === "failed"),
  );

function withStanding(
  review: Review,
  changes: Iterable<readonly [string, Standing]>,
): ReadonlyMap<string, Standing> {
  return new Map([...review.standing, ...changes]);
}

/** A page came: what was on those before it and still waits stays counted. */
export function loaded(
  review: Review,
  page: { rows: readonly Finding[]; total: number; further: boolean },
): Review {
  return {
    ...review,
    rows: page.rows,
    standing: withStanding(
      review,
      page.rows.map(({ id }) => [id, OPEN] as const),
    ),
    at: 0,
    anchor: -1,
    chosen: new Set(),
    all: done(review) + page.total,
    further: page.further,
  };
}

/** Begin again with what was left open. */
export const again = (review: Review): Review => ({
  ...review,
  standing: new Map([...review.standing].filter(([, each]) => !isOpen(each))),
});

/** Go to a row; with `extend`, everything on the way is selected. */
export function go(review: Review, to: number, extend = false): Review {
  const at = Math.min(review.rows.length - 1, Math.max(0, to));
  if (!extend) return { ...review, at, anchor: -1 };
  const anchor = review.anchor === -1 ? review.at : review.anchor;
  const [first, last] = anchor < at ? [anchor, at] : [at, anchor];
  const between = review.rows.slice(first, last + 1).map(({ id }) => id);
  return { ...review, at, anchor, chosen: new Set(between) };
}

/** Select a row, or select it no more. */
export function choose(review: Review, at: number): Review {
  const id = review.rows[at]?.id;
  if (id === undefined) return review;
  const chosen = new Set(review.chosen);
  if (!chosen.delete(id)) chosen.add(id);
  return { ...review, at, anchor: at, chosen };
}

export const unchoose = (review: Review): Review => ({
  ...review,
  anchor: -1,
  chosen: new Set(),
});

/** What a key means: what is selected, or the row that one is at. */
export function meant(review: Review): readonly Finding[] {
  const open = openOnPage(review);
  if (review.chosen.size > 0) return open.filter(({ id }) => review.chosen.has(id));
  const here = review.rows[review.at];
  return here && open.includes(here) ? [here] : [];
}

/** The next that waits, behind this one or else before it; where it is, when there is none. */
function nextOpen(review: Review, from: number): number {
  const places = review.rows.flatMap(({ id }, at) => (isOpen(standingOf(review, id)) ? [at] : []));
  return places.find((at) => at > from) ?? places.findLast((at) => at < from) ?? review.at;
}

/** An act is on its way to the node. */
export const saving = (review: Review, { verdict, rows }: Act): Review => ({
  ...review,
  standing: withStanding(
    review,
    rows.map(({ id }) => [id, { as: "saving", verdict }] as const),
  ),
});

/** Decide about the rows of an act; one goes on to the next that waits. */
export function decide(review: Review, act: Act): Review {
  const next = {
    ...saving(review, act),
    acts: [...review.acts, act],
    chosen: new Set<string>(),
    anchor: -1,
  };
  const last = Math.max(...act.rows.map((row) => review.rows.indexOf(row)));
  return { ...next, at: nextOpen(next, last === -1 ? review.at : last) };
}

function became(one: ReviewedOne, verdict: Verdict, retried: boolean): Standing {
  const held = one.decision?.verdict;
  // the answer may have been lost where what was asked was done
  if (one.outcome === "decided" || (retried && held === verdict)) return { as: "saved", verdict };
  if (one.outcome === "elsewhere" && held) return { as: "elsewhere", verdict: held };
  if (one.outcome === "refused") return { as: "refused", why: one.problem?.detail ?? "" };
  return { as: "gone" };
}

/** The node said of each what became of it. */
export function saved(
  review: Review,
  id: number,
  items: readonly ReviewedOne[],
  retried = false,
): Review {
  const act = review.acts.find((each) => each.id === id);
  if (!act) return review;
  const now = new Map(items.map((one) => [one.id, became(one, act.verdict, retried)]));
  const made = items.flatMap(({ id: asked, decision }) =>
    now.get(asked)?.as === "saved" && decision
      ? [{ row: asked, id: decision.id, at: decision.at }]
      : [],
  );
  return {
    ...review,
    standing: withStanding(review, now),
    acts: review.acts.flatMap((each) =>
      each.id !== id ? [each] : made.length === 0 ? [] : [{ ...each, made }],
    ),
  };
}

/** It could not be saved: nothing is lost, all of it waits as before. */
export function failed(review: Review, id: number): Review {
  const act = review.acts.find((each) => each.id === id);
  if (!act) return review;
  const standing: Standing = { as: "failed", verdict: act.verdict };
  return {
    ...review,
    standing: withStanding(
      review,
      act.rows.map((row) => [row.id, standing] as const),
    ),
  };
}

/**
 * It was taken back: what it was about waits again, and is on the page. What was decided otherwise
 * since, as the names in `changed` were, stays so.
 */
export function undone(review: Review, id: number, changed: ReadonlySet<string>): Review {
  const act = review.acts.find((each) => each.id === id);
  if (!act) return review;
  const made = new Set(
    (act.made ?? act.rows.map((row) => ({ row: row.id }))).map(({ row }) => row),
  );
  const back = act.rows.filter((row) => made.has(row.id) && !changed.has(row.id));
  const away = back.filter((row) => !review.rows.some((each) => each.id === row.id));
  const rows = [...away, ...review.rows];
  const first = rows.findIndex((row) => row.id === back[0]?.id);
  const otherwise: Standing = { as: "changed" };
  return {
    ...review,
    rows,
    standing: withStanding(review, [
      ...back.map((row) => [row.id, OPEN] as const),
      ...[...changed].map((row) => [row, otherwise] as const),
    ]),
    acts: review.acts.filter((each) => each.id !== id),
    at: first === -1 ? review.at : first,
    chosen: new Set(),
    anchor: -1,
  };
}
