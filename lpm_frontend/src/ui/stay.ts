"use client";
import { useEffect, useRef, type RefObject } from "react";

/** Items that go once they are decided: the focus goes on to the one that took its place. */
export function useStay<E extends HTMLElement>(left: number): RefObject<E | null> {
  const box = useRef<E>(null);
  const at = useRef(-1);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const note = ({ target }: FocusEvent): void => {
      at.current = [...element.querySelectorAll("article")].findIndex((item) => target instanceof Node && item.contains(target));
    };
    element.addEventListener("focusin", note);
    return () => element.removeEventListener("focusin", note);
  }, []);
  useEffect(() => {
    const held = document.activeElement;
    if (at.current === -1 || (held !== null && held !== document.body)) return;
    const items = box.current?.querySelectorAll("article");
    items?.[Math.min(at.current, items.length - 1)]?.querySelector<HTMLElement>("button, a")?.focus({ preventScroll: true });
  }, [left]);
  return box;
}
