"use client";
import { useEffect, useLayoutEffect, useRef, type RefObject } from "react";

const lost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;
const toPage = (): void => document.getElementById("page")?.focus({ preventScroll: true });

/**
 * Items that go once they are decided: the focus goes on to the one that took its place, and after
 * the last to the page. While they are `busy` their buttons take no focus; what was lost then comes
 * back with them. `item` selects them.
 */
export function useStay<E extends HTMLElement>(
  ids: readonly string[],
  busy = false,
  item = "article",
): RefObject<E | null> {
  const box = useRef<E>(null);
  const at = useRef(-1);
  const left = ids.join(" ");
  // Before it is seen: whoever is quick, or the machine slow, focuses it at once. And again with
  // the first of them, where there were none yet.
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const note = ({ target }: FocusEvent): void => {
      at.current = [...element.querySelectorAll(item)].findIndex(
        (each) => target instanceof Node && each.contains(target),
      );
    };
    element.addEventListener("focusin", note);
    return () => element.removeEventListener("focusin", note);
  }, [left, item]);
  useEffect(() => {
    if (busy || at.current === -1 || !lost()) return;
    const items = [...(box.current?.querySelectorAll(item) ?? [])];
    const next =
      items[Math.min(at.current, items.length - 1)]?.querySelector<HTMLElement>(
        "button:enabled, a",
      );
    if (next) next.focus({ preventScroll: true });
    else toPage();
  }, [left, busy, item]);
  useEffect(
    () => () => {
      if (at.current !== -1 && lost()) toPage();
    },
    [],
  );
  return box;
}
