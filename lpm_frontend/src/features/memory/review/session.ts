/**
 * A sitting of going through suggestions: the page that is shown, what is saved, what failed. A key
 * shows at once what it decided; it is saved behind that, one after the other.
 */
import type { Finding, ReviewedOne } from "@/lib/api/types";
import * as model from "./model";
import type { Act, Review, Verdict } from "./model";

interface Decided {
  readonly id: string;
  readonly content: string;
  readonly decision: Verdict;
}

/** The node, as far as a sitting speaks with it. */
export interface Door {
  readonly page: (
    behind: number,
  ) => Promise<{ items: readonly Finding[]; total: number; further?: boolean }>;
  readonly decide: (items: readonly Decided[]) => Promise<{ items: readonly ReviewedOne[] }>;
  readonly takeBack: (
    items: readonly { id: string; at: string }[],
  ) => Promise<{ items: readonly { id: string; outcome: "open" | "changed" }[] }>;
  /** Something was saved: what else is on the screen may have changed. */
  readonly changed: () => void;
}

export interface Sitting {
  readonly review: Review;
  readonly loading: boolean;
  /** Why the page could not be fetched. */
  readonly trouble: unknown;
  /** Why something could not be saved or taken back. */
  readonly error: unknown;
}

export interface Session {
  readonly get: () => Sitting;
  readonly subscribe: (listener: () => void) => () => void;
  readonly change: (step: (review: Review) => Review) => void;
  /** The first page, with what was left open. */
  readonly load: () => void;
  readonly next: () => void;
  readonly decide: (verdict: Verdict, rows: readonly Finding[]) => Act | null;
  readonly undo: (act: number) => void;
  /** Take back the last that is not being taken back already. */
  readonly undoLast: () => void;
  /** Try again to save what could not be saved. */
  readonly retry: () => void;
  /** When all that was asked for is done. */
  readonly settled: () => Promise<void>;
}

export function createSession(door: Door): Session {
  let now: Sitting = { review: model.NOTHING, loading: true, trouble: null, error: null };
  let acts = 0;
  const leaving = new Set<number>();
  let queue = Promise.resolve();
  const listeners = new Set<() => void>();

  const become = (next: Partial<Sitting>): void => {
    now = { ...now, ...next };
    for (const listener of listeners) listener();
  };
  const change = (step: (review: Review) => Review): void => become({ review: step(now.review) });
  /** One after the other, so that what is taken back was saved before. */
  const inTurn = (work: () => Promise<void>): void => {
    queue = queue.then(work);
  };

  const load = (behind: () => number, first: (review: Review) => Review): void => {
    become({ loading: true, trouble: null });
    inTurn(async () => {
      try {
        const page = await door.page(behind());
        const { items: rows, total, further = false } = page;
        become({
          loading: false,
          review: model.loaded(first(now.review), { rows, total, further }),
        });
      } catch (trouble) {
        become({ loading: false, trouble });
      }
    });
  };
  const save = ({ id, verdict, rows }: Act, retried: boolean): void =>
    inTurn(async () => {
      try {
        const { items } = await door.decide(
          rows.map((row) => ({ id: row.id, content: row.content, decision: verdict })),
        );
        become({ error: null, review: model.saved(now.review, id, items, retried) });
        door.changed();
      } catch (error) {
        become({ error, review: model.failed(now.review, id) });
      }
    });
  const undo = (id: number): void => {
    leaving.add(id);
    inTurn(async () => {
      const made = now.review.acts.find((act) => act.id === id)?.made ?? [];
      try {
        const { items } =
          made.length === 0
            ? { items: [] }
            : await door.takeBack(made.map((each) => ({ id: each.id, at: each.at })));
        const otherwise = new Set(
          items.filter(({ outcome }) => outcome === "changed").map((each) => each.id),
        );
        const changed = made.filter((each) => otherwise.has(each.id)).map(({ row }) => row);
        become({ error: null, review: model.undone(now.review, id, new Set(changed)) });
        door.changed();
      } catch (error) {
        leaving.delete(id);
        become({ error });
      }
    });
  };

  return {
    get: () => now,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change,
    load: () => load(() => 0, model.again),
    next: () =>
      load(
        () => model.leftOpen(now.review),
        (review) => review,
      ),
    decide: (verdict, rows) => {
      if (rows.length === 0) return null;
      acts += 1;
      const act: Act = { id: acts, verdict, rows, made: null };
      change((review) => model.decide(review, act));
      save(act, false);
      return act;
    },
    undo,
    undoLast: () => {
      const act = now.review.acts.findLast(({ id }) => !leaving.has(id));
      if (act) undo(act.id);
    },
    retry: () => {
      for (const act of model.failedActs(now.review)) {
        change((review) => model.saving(review, act));
        save(act, true);
      }
    },
    settled: () => queue,
  };
}
