/** Opening the settings at what the address names, although what stands above it comes later. */
import { useEffect, type RefObject } from "react";

/** How long what stands above may take to come. */
const COMES_MS = 5_000;
/** Whoever does one of these looks at something else by now. */
const MOVES = ["wheel", "touchmove", "pointerdown"] as const;

/** Keep the place that the address names in sight until `box` has grown, or the person moves. */
export function useNamedPlace(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let stop = (): void => undefined;
    const keep = (): void => {
      stop();
      if (box.current) stop = keepInSight(box.current, decodeURIComponent(location.hash.slice(1)));
    };
    keep();
    window.addEventListener("hashchange", keep);
    return () => {
      stop();
      window.removeEventListener("hashchange", keep);
    };
  }, [box]);
}

/** Keep what is named in sight while the box grows; returns what ends it. */
function keepInSight(box: HTMLElement, name: string): () => void {
  if (name === "") return () => undefined;
  const watcher = new ResizeObserver(() =>
    document.getElementById(name)?.scrollIntoView({ block: "start" }),
  );
  watcher.observe(box);
  const late = setTimeout(() => stop(), COMES_MS);
  const stop = (): void => {
    watcher.disconnect();
    clearTimeout(late);
    for (const move of MOVES) window.removeEventListener(move, stop);
  };
  for (const move of MOVES) window.addEventListener(move, stop, { once: true, passive: true });
  return stop;
}
