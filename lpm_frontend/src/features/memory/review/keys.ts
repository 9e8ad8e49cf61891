/** The keys of the list; the row that one is at has the focus. */
import { useCallback, useLayoutEffect, useRef, type RefObject } from "react";
import { useSettings } from "@/lib/api/identity";
import type { Finding } from "@/lib/api/types";
import { useCommand } from "@/lib/commands";
import * as model from "./model";
import type { Review, Verdict } from "./model";
import type { Session } from "./session";

interface Keys {
  readonly decide: (verdict: Verdict, rows: readonly Finding[]) => void;
  readonly undo: () => void;
}

interface ListKeys {
  readonly list: RefObject<HTMLUListElement | null>;
  /** Focus the row that one is at. */
  readonly focus: () => void;
}

export function useListKeys(session: Session, review: Review, { decide, undo }: Keys): ListKeys {
  const list = useRef<HTMLUListElement>(null);
  const singleKeys = useSettings().data?.single_keys !== false;
  const focus = useCallback((): void => {
    const { at } = session.get().review;
    const row = list.current?.querySelector<HTMLElement>(`[data-at="${String(at)}"]`);
    row?.querySelector<HTMLElement>(".review-words")?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  }, [session]);
  const step = useCallback(
    (by: number, extend: boolean): void => {
      const within = list.current?.contains(document.activeElement) === true;
      session.change((now) => model.go(now, within || extend ? now.at + by : now.at, extend));
      requestAnimationFrame(focus);
    },
    [focus, session],
  );
  useCommand(
    "step",
    useCallback(({ by }: { by: 1 | -1 }) => step(by, false), [step]),
  );
  // Where the focus was on a row, it goes on with it: the next key means what stands there.
  const { at } = review;
  useLayoutEffect(() => {
    if (list.current?.contains(document.activeElement)) focus();
  }, [at, focus]);
  // Another page came: it is begun with its first row.
  const first = review.rows[0]?.id;
  const before = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (before.current !== undefined && before.current !== first) focus();
    before.current = first;
  }, [first, focus]);
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const here = event.target instanceof Element ? event.target : null;
      const elsewhere = here?.closest("dialog, .margin, textarea, input:not([type=checkbox])");
      if (elsewhere || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return;
      const now = session.get().review;
      const inList = here !== null && list.current?.contains(here) === true;
      const letters: Readonly<Record<string, () => void>> = {
        a: () => decide("keep", model.meant(now)),
        d: () => decide("dismiss", model.meant(now)),
        A: () => decide("keep", model.openOnPage(now)),
        D: () => decide("dismiss", model.openOnPage(now)),
        u: undo,
        x: () => session.change((review_) => model.choose(review_, review_.at)),
        J: () => step(1, true),
        K: () => step(-1, true),
      };
      const arrows: Readonly<Record<string, () => void>> = {
        ArrowDown: () => step(1, event.shiftKey),
        ArrowUp: () => step(-1, event.shiftKey),
      };
      const act =
        (inList ? arrows[event.key] : undefined) ?? (singleKeys ? letters[event.key] : undefined);
      if (!act) return;
      event.preventDefault();
      act();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [decide, session, singleKeys, step, undo]);
  return { list, focus };
}
