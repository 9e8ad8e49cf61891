"use client";
/** Conversations that are deleted but can still be brought back: hidden here, deleted at the node when the way back closes. */
import { useSyncExternalStore } from "react";
import { deleteConversation } from "@/lib/api/conversations";
import { NodeProblem } from "@/lib/api/client";
import { offerUndo } from "@/lib/undo";

let hidden: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function become(next: ReadonlySet<string>): void {
  hidden = next;
  for (const listener of listeners) listener();
}
const without = (id: string): ReadonlySet<string> => new Set([...hidden].filter((other) => other !== id));

export const useHidden = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => hidden,
    () => hidden,
  );

/** Delete with a way back. `settled` runs once the node has let it go. */
export function deleteWithUndo(id: string, sentence: string, back: () => void, settled: () => void): void {
  become(new Set([...hidden, id]));
  offerUndo({
    sentence,
    undo: () => {
      become(without(id));
      back();
    },
    settle: (leaving) => {
      deleteConversation(id, leaving).then(settled, (problem: unknown) => {
        // It is still there: show it again rather than pretend.
        if (!(problem instanceof NodeProblem && problem.status === 404)) become(without(id));
      });
    },
  });
}
