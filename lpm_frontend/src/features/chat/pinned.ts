/** Where a conversation stands in its window while an answer is written, and when it is opened. */
import { useCallback, useEffect, useRef, type RefObject } from "react";
import type { Live } from "./live";
import { openAtItsEnd } from "./opening";

interface Pinned {
  scroller: RefObject<HTMLElement | null>;
  id: string;
  /** The conversation has come from the node. */
  loaded: boolean;
  live: Live | null;
  /** How many turns are kept. */
  turns: number;
  /** A turn that is sought; empty: it opens at its end. */
  turn: string;
}

/**
 * A new question goes to the top of the page, and its answer is written beneath it. Returns what
 * lets go of it.
 */
export function usePinnedScroll({ scroller, id, loaded, live, turns, turn }: Pinned): () => void {
  const pinned = useRef(false);
  const letGo = useCallback((): void => {
    pinned.current = false;
  }, []);
  const question = live?.question;
  // Until one scrolls oneself, it stays there: what comes into the margin, or is measured only now,
  // must not push it out of sight.
  useEffect(() => {
    pinned.current = question !== undefined;
  }, [question]);
  useEffect(() => {
    const box = scroller.current;
    box?.addEventListener("wheel", letGo, { passive: true });
    box?.addEventListener("touchmove", letGo, { passive: true });
    box?.addEventListener("pointerdown", letGo);
    return () => {
      box?.removeEventListener("wheel", letGo);
      box?.removeEventListener("touchmove", letGo);
      box?.removeEventListener("pointerdown", letGo);
    };
  }, [letGo, scroller]);
  useEffect(() => {
    if (!pinned.current) return undefined;
    // A role that goes on by itself is read after what was said before it.
    const block = question === "" ? "end" : "start";
    const align = (): void =>
      scroller.current?.querySelector(".exchange.newest")?.scrollIntoView({ block });
    align();
    const frame = requestAnimationFrame(align);
    return () => cancelAnimationFrame(frame);
  }, [question, live?.phase, live?.parts.length, turns, scroller]);
  // An old conversation opens where it ended.
  useEffect(() => {
    return loaded && turn === "" && question === undefined && scroller.current
      ? openAtItsEnd(scroller.current)
      : undefined;
    // Only when another conversation is opened.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [id, loaded]);
  return letGo;
}
