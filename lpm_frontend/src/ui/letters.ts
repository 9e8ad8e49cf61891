"use client";
import { useLayoutEffect, type RefObject } from "react";

interface Verdicts {
  readonly keep: () => void;
  readonly mend: () => void;
  readonly forget: () => void;
}

/**
 * `a`, `c` and `f` keep, correct and forget an item while the focus is in it; not while one writes,
 * and not while it is `busy`.
 */
export function useLetters(
  item: RefObject<HTMLElement | null>,
  { keep, mend, forget }: Verdicts,
  busy: boolean,
): void {
  useLayoutEffect(() => {
    const element = item.current;
    if (!element) return undefined;
    const press = (event: KeyboardEvent): void => {
      if (
        event.target instanceof HTMLTextAreaElement ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        busy
      )
        return;
      const act = { a: keep, c: mend, f: forget }[event.key];
      if (!act) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    };
    element.addEventListener("keydown", press);
    return () => element.removeEventListener("keydown", press);
  }, [busy, forget, item, keep, mend]);
}
