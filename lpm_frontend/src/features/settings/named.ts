/** Opening the settings at what the address names, although what stands above it comes later. */
import { useEffect, type RefObject } from "react";

/** How long what stands above may take to come. */
const COMES_MS = 5_000;
/** Whoever does one of these looks at something else by now. */
const MOVES = ["wheel", "touchmove", "pointerdown", "focusin"] as const;

/** Keep the place that the address names in sight until `box` has grown, or the person moves. */
export function useNamedPlace(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const name = decodeURIComponent(location.hash.slice(1));
    if (name === "" || !box.current) return undefined;
    const watcher = new ResizeObserver(() =>
      document.getElementById(name)?.scrollIntoView({ block: "start" }),
    );
    watcher.observe(box.current);
    const stop = (): void => watcher.disconnect();
    const late = setTimeout(stop, COMES_MS);
    for (const move of MOVES) window.addEventListener(move, stop, { once: true, passive: true });
    return () => {
      stop();
      clearTimeout(late);
      for (const move of MOVES) window.removeEventListener(move, stop);
    };
  }, [box]);
}
