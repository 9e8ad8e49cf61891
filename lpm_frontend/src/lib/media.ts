import { useSyncExternalStore } from "react";

/** Whether a media query holds now. False while the page is made at build time. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    () => window.matchMedia(query).matches,
    () => false,
  );
}

/** There is room for a margin beside the page. */
export const WIDE = "(min-width: 1180px)";
/** A phone. */
export const PHONE = "(max-width: 700px)";
