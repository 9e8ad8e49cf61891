/** What one can have an answer do from the keyboard, wherever in the conversation one is. */
import { useCallback, useLayoutEffect, useRef, type RefObject } from "react";

/** The acts of one answer; what it cannot do now is not there. */
export interface Acts {
  readonly copy?: (() => void) | undefined;
  readonly again?: (() => void) | undefined;
  /** Open the first of its sources, or the last. */
  readonly openSource?: ((which: "first" | "last") => void) | undefined;
}

/** Tells what an exchange can do now; `null` once it is gone. */
export type TellActs = (exchange: string, acts: Acts | null) => void;

/**
 * The exchange that one is at: where the focus is, else the one in sight that is nearest to the
 * top, else the newest.
 */
function here(box: HTMLElement | null): HTMLElement | null {
  const focused = document.activeElement?.closest<HTMLElement>(".exchange");
  if (focused) return focused;
  const edge = box?.getBoundingClientRect();
  const all = [...(box?.querySelectorAll<HTMLElement>(".exchange") ?? [])];
  return (
    all.find(
      (exchange) => edge && exchange.getBoundingClientRect().bottom > Math.max(0, edge.top) + 40,
    ) ??
    all.at(-1) ??
    null
  );
}

/** The acts of the exchange that one is at, and where each exchange tells its own. */
export function useActs(scroller: RefObject<HTMLElement | null>) {
  const all = useRef(new Map<string, Acts>());
  const tell = useCallback<TellActs>((exchange, acts) => {
    if (acts) all.current.set(exchange, acts);
    else all.current.delete(exchange);
  }, []);
  const actsHere = useCallback(
    (): Acts => all.current.get(here(scroller.current)?.dataset["key"] ?? "") ?? {},
    [scroller],
  );
  return { tell, actsHere };
}

/** Tell what this exchange can do, as soon as that is seen and for as long as it is on the page. */
export function useTellActs(tell: TellActs, exchange: string, acts: Acts): void {
  useLayoutEffect(() => {
    tell(exchange, acts);
    return () => tell(exchange, null);
  });
}
