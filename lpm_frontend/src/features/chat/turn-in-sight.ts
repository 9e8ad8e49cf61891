/** Opening a conversation at something that was said in it. */
import { useEffect, useRef, type RefObject } from "react";
import type { Exchange } from "./exchanges";

interface Sought {
  scroller: RefObject<HTMLElement | null>;
  /** The turn; empty: none. */
  turn: string;
  exchanges: readonly Exchange[];
  /** Fetches what came before; nothing while that is under way, or where it is all here. */
  more: (() => Promise<void>) | null;
}

/** Bring a turn into sight once, fetching what came before until it is there. */
export function useTurnInSight({ scroller, turn, exchanges, more }: Sought): void {
  const shown = useRef("");
  useEffect(() => {
    if (turn === "" || shown.current === turn || exchanges.length === 0) return;
    const found = exchanges.find(
      (exchange) =>
        exchange.asked === turn ||
        (exchange.answer?.variants ?? exchange.gone ?? []).includes(turn),
    );
    if (!found) {
      void more?.();
      return;
    }
    const there = scroller.current?.querySelector<HTMLElement>(
      `.exchange[data-key="${CSS.escape(found.key)}"], [data-gone~="${CSS.escape(found.key)}"]`,
    );
    if (!there) return;
    shown.current = turn;
    there.scrollIntoView({ block: "start" });
    there.classList.add("sought");
    there.focus({ preventScroll: true });
  }, [exchanges, more, scroller, turn]);
}
