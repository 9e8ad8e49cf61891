/**
 * The last change that can be taken back. One line at the foot of the spine shows it until the next
 * change takes its place.
 */
import { useSyncExternalStore } from "react";

export interface Undoable {
  /** What was done, as a sentence. */
  readonly sentence: string;
  /** Take it back. */
  readonly undo: () => void | Promise<void>;
  /**
   * Make it final: called once, when the next change comes, when the page closes, or when the time
   * is over.
   */
  readonly settle?: (leaving: boolean) => void;
}

const LASTS_MS = 60_000;
let current: Undoable | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function become(next: Undoable | null): void {
  clearTimeout(timer);
  current = next;
  for (const listener of listeners) listener();
}

function settle(leaving: boolean): void {
  const last = current;
  become(null);
  last?.settle?.(leaving);
}

/** Offer a way back for what was just done. */
export function offerUndo(change: Undoable): void {
  settle(false);
  become(change);
  timer = setTimeout(() => settle(false), LASTS_MS);
}

/**
 * Offer a way back once it is done; `null` for none. What was acted on may have left the page by
 * then, and a mutation calls nothing back that has left: so this wants its promise. A refusal
 * stands where the change was asked for.
 */
export function offerUndoWhen<T>(done: Promise<T>, change: (made: T) => Undoable | null): void {
  void done.then(
    (made) => {
      const way = change(made);
      if (way) offerUndo(way);
    },
    () => undefined,
  );
}

/** Take the last change back, if there is one. */
export function undoLast(): void {
  const last = current;
  become(null);
  void last?.undo();
}

/** Call when the page goes away, so that what was put off is done. */
export const settleOnLeaving = (): void => settle(true);

export function useUndoable(): Undoable | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
    () => null,
  );
}
