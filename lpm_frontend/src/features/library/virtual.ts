/** A long list of which only what is in sight is on the page. */
import { useLayoutEffect, useState, type RefObject } from "react";

interface Stretch {
  readonly first: number;
  readonly last: number;
}
const AROUND = 6;

/**
 * Which rows of `count`, all `height` high, are in sight of the box that scrolls, and a few around
 * them.
 */
export function useStretch(
  scroller: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
  count: number,
  height: number,
): Stretch {
  const [stretch, setStretch] = useState<Stretch>({ first: 0, last: 40 });
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return undefined;
    const look = (): void => {
      const top = list.current
        ? list.current.getBoundingClientRect().top - box.getBoundingClientRect().top
        : 0;
      const first = Math.max(0, Math.floor(-top / height) - AROUND);
      const last = Math.min(
        Math.max(0, count - 1),
        Math.ceil((box.clientHeight - top) / height) + AROUND,
      );
      setStretch((now) => (now.first === first && now.last === last ? now : { first, last }));
    };
    look();
    box.addEventListener("scroll", look, { passive: true });
    const watcher = new ResizeObserver(look);
    watcher.observe(box);
    if (list.current) watcher.observe(list.current);
    return () => {
      box.removeEventListener("scroll", look);
      watcher.disconnect();
    };
  }, [scroller, list, count, height]);
  return {
    first: Math.min(stretch.first, Math.max(0, count - 1)),
    last: Math.min(stretch.last, Math.max(0, count - 1)),
  };
}

/** Scroll so that a row is in sight. */
export function showRow(
  scroller: HTMLElement,
  list: HTMLElement,
  index: number,
  height: number,
  head: number,
): void {
  const top =
    scroller.scrollTop +
    list.getBoundingClientRect().top -
    scroller.getBoundingClientRect().top +
    index * height;
  if (top - head < scroller.scrollTop) scroller.scrollTop = top - head;
  else if (top + height > scroller.scrollTop + scroller.clientHeight - height)
    scroller.scrollTop = top + 2 * height - scroller.clientHeight;
}
