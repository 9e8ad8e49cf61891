import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { fetchEarlier } from "@/lib/api/conversations";
import type { Exchange } from "./exchanges";

/**
 * Fetches what came before when one scrolls (in `scroller`) towards it (`top`); what one reads
 * stays where it is.
 */
export function useEarlier(
  id: string,
  earlier: string | null,
  history: readonly Exchange[],
  onTrouble: (error: unknown) => void,
) {
  const cache = useQueryClient();
  const scroller = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const anchor = useRef<{ key: string; at: number } | null>(null);
  const [fetching, setFetching] = useState(false);
  const more = useCallback(async (): Promise<void> => {
    const first = scroller.current?.querySelector<HTMLElement>(".exchange");
    if (first)
      anchor.current = { key: first.dataset["key"] ?? "", at: first.getBoundingClientRect().top };
    setFetching(true);
    try {
      await fetchEarlier(cache, id);
    } catch (error) {
      onTrouble(error);
    } finally {
      setFetching(false);
    }
  }, [cache, id, onTrouble]);
  useLayoutEffect(() => {
    const was = anchor.current;
    const box = scroller.current;
    if (!was || !box) return;
    const moved = box.querySelector<HTMLElement>(`.exchange[data-key="${CSS.escape(was.key)}"]`);
    if (!moved || box.querySelector(".exchange") === moved) return;
    anchor.current = null;
    const by = moved.getBoundingClientRect().top - was.at;
    if (box.scrollHeight > box.clientHeight) box.scrollBy(0, by);
    else window.scrollBy(0, by);
  }, [history]);
  useEffect(() => {
    const edge = top.current;
    if (!edge || earlier === null || fetching) return undefined;
    const watcher = new IntersectionObserver(
      (seen) => {
        if (seen.some((one) => one.isIntersecting)) void more();
      },
      { rootMargin: "600px 0px 0px" },
    );
    watcher.observe(edge);
    return () => watcher.disconnect();
  }, [earlier, fetching, more]);
  return { scroller, top, fetching, more };
}
