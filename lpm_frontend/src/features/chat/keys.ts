/** What the keys and the palette have a conversation do. */
import { useRouter } from "next/navigation";
import { useCallback, type RefObject } from "react";
import { send, useCommand } from "@/lib/commands";
import type { Acts } from "./acts";
import { PRIVATE } from "./keeping";

interface Keys {
  scroller: RefObject<HTMLElement | null>;
  /** A source is read beside the conversation. */
  reading: boolean;
  actsHere: () => Acts;
  onAsk: (question: string) => void;
  onStop: () => void;
  onCloseSource: () => void;
  onStepSource: (by: 1 | -1) => void;
  onPrint: () => void;
  /** One goes somewhere oneself. */
  onGo: () => void;
}

export function useChatKeys({
  scroller,
  reading,
  actsHere,
  onAsk,
  onStop,
  onCloseSource,
  onStepSource,
  onPrint,
  onGo,
}: Keys): void {
  const router = useRouter();
  useCommand("stop", onStop);
  useCommand("print", onPrint);
  useCommand(
    "new",
    useCallback(() => {
      router.push("/");
      send("write");
    }, [router]),
  );
  useCommand(
    "newPrivate",
    useCallback(() => {
      router.push(PRIVATE);
      send("write");
    }, [router]),
  );
  useCommand(
    "ask",
    useCallback(({ question }: { question: string }) => onAsk(question), [onAsk]),
  );
  useCommand(
    "source",
    useCallback(
      ({ by }: { by: 1 | -1 }) => {
        if (reading) onStepSource(by);
        // Nothing is open: begin with the first, or the last, of the answer one is at.
        else actsHere().openSource?.(by > 0 ? "first" : "last");
      },
      [actsHere, onStepSource, reading],
    ),
  );
  useCommand(
    "margin",
    useCallback(() => {
      if (reading) onCloseSource();
      else actsHere().openSource?.("first");
    }, [actsHere, onCloseSource, reading]),
  );
  useCommand(
    "copy",
    useCallback(() => actsHere().copy?.(), [actsHere]),
  );
  useCommand(
    "again",
    useCallback(() => actsHere().again?.(), [actsHere]),
  );
  useCommand(
    "step",
    useCallback(
      ({ by }: { by: 1 | -1 }) => {
        if (document.activeElement?.closest(".shelf-list")) return;
        const all = [...(scroller.current?.querySelectorAll<HTMLElement>(".exchange") ?? [])];
        const at = all.findIndex((exchange) => exchange.contains(document.activeElement));
        const wanted = at === -1 ? (by > 0 ? 0 : all.length - 1) : at + by;
        const next = all[Math.min(all.length - 1, Math.max(0, wanted))];
        onGo();
        next?.focus({ preventScroll: true });
        next?.scrollIntoView({ block: "start" });
      },
      [onGo, scroller],
    ),
  );
}
