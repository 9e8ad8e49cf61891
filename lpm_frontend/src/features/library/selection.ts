/** Which documents are chosen: some by name, or all that the filter finds. */
import { useCallback, useState } from "react";
import type { Chosen, Filter } from "@/lib/api/library";

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Everything that the filter finds. */
  readonly all: boolean;
  readonly has: (id: string) => boolean;
  readonly count: (total: number) => number;
  readonly chosen: (filter: Filter) => Chosen;
  /** Where the last one stands that was chosen by hand; -1 for nowhere. */
  readonly anchor: number;
  readonly toggle: (id: string, at: number) => void;
  readonly add: (ids: readonly string[]) => void;
  readonly chooseAll: () => void;
  readonly clear: () => void;
}

const NONE: ReadonlySet<string> = new Set();

export function useSelection(): Selection {
  const [{ ids, all, anchor }, set] = useState<{
    ids: ReadonlySet<string>;
    all: boolean;
    anchor: number;
  }>({ ids: NONE, all: false, anchor: -1 });
  const toggle = useCallback((id: string, at: number) => {
    set((now) => {
      const next = new Set(now.all ? NONE : now.ids);
      if (!next.delete(id)) next.add(id);
      return { ids: next, all: false, anchor: at };
    });
  }, []);
  const add = useCallback(
    (more: readonly string[]) =>
      set((now) => ({ ...now, ids: new Set([...now.ids, ...more]), all: false })),
    [],
  );
  const chooseAll = useCallback(() => set({ ids: NONE, all: true, anchor: -1 }), []);
  const clear = useCallback(() => set({ ids: NONE, all: false, anchor: -1 }), []);
  return {
    ids,
    all,
    anchor,
    has: (id) => all || ids.has(id),
    count: (total) => (all ? total : ids.size),
    chosen: (filter) => (all ? { filter } : { ids: [...ids] }),
    toggle,
    add,
    chooseAll,
    clear,
  };
}
