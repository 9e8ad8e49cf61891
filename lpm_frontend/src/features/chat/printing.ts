/** A conversation that is about to be printed: fetched whole first. */
import { useCallback, useState } from "react";
import { fetchWhole } from "@/lib/api/conversations";
import type { ConversationWhole } from "@/lib/api/types";

export function usePrinting(id: string, onTrouble: (error: unknown) => void) {
  const [paper, setPaper] = useState<ConversationWhole | null>(null);
  const putAside = useCallback(() => setPaper(null), []);
  const print = useCallback(async (): Promise<void> => {
    if (id === "") return;
    try {
      setPaper(await fetchWhole(id));
    } catch (error) {
      onTrouble(error);
    }
  }, [id, onTrouble]);
  return { paper, print, putAside };
}
