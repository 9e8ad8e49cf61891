"use client";
/**
 * Puts the notes of the margin level with their sentences, moving them down where they would
 * overlap.
 */
import { useLayoutEffect, type RefObject } from "react";

const GAP = 14;

/**
 * Put each `[data-note=n]` at the height of the first `[data-cites~=n]`, lower where it would
 * overlap; notes without a number follow below.
 */
function level(page: HTMLElement, margin: HTMLElement): void {
  const origin = margin.getBoundingClientRect().top;
  const by = page.querySelector(".by");
  let free = by ? Math.max(0, by.getBoundingClientRect().top - origin) : 0;
  for (const note of margin.querySelectorAll<HTMLElement>(":scope > *")) {
    const { note: n, after } = note.dataset;
    const anchor =
      n === undefined
        ? after === undefined
          ? null
          : page.querySelector(after)
        : page.querySelector(`[data-cites~="${n}"]`);
    const top = Math.max(anchor ? anchor.getBoundingClientRect().top - origin : free, free);
    note.style.transform = `translateY(${Math.round(top)}px)`;
    note.dataset["placed"] = "";
    free = top + note.offsetHeight + GAP;
  }
  margin.style.minHeight = `${Math.ceil(free)}px`;
}

/**
 * Keep the notes of the margin level while text streams in, fonts arrive and the window changes.
 * The margin grows to hold them all.
 */
export function useLevelNotes(
  page: RefObject<HTMLElement | null>,
  margin: RefObject<HTMLElement | null>,
  on: boolean,
  version: unknown,
): void {
  useLayoutEffect(() => {
    const left = page.current;
    const right = margin.current;
    if (!on || !left || !right) return undefined;
    const place = (): void => level(left, right);
    place();
    const watcher = new ResizeObserver(place);
    watcher.observe(left);
    for (const note of right.children) watcher.observe(note);
    return () => watcher.disconnect();
  }, [page, margin, on, version]);
}
