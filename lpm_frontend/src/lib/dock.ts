/** How high what stands at the foot of a page is, as `--dock`: what floats stays above it. */
import { useEffect, useRef, type RefObject } from "react";

export function useDock<T extends HTMLElement>(): RefObject<T | null> {
  const box = useRef<T>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const { style } = document.documentElement;
    const watcher = new ResizeObserver(() =>
      style.setProperty("--dock", `${element.offsetHeight}px`),
    );
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      style.removeProperty("--dock");
    };
  }, []);
  return box;
}
