/** Asking in a conversation: a first time, again, and differently in one of its own. */
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useCallback } from "react";
import {
  branchConversation,
  conversationQuery,
  conversationsQuery,
  createConversation,
} from "@/lib/api/conversations";
import { ask, askAnew } from "./live";
import { EVERYONE } from "./spoken-by";

/** How long the node may take to write a stopped turn down, in tries. */
const SETTLE_MS = [250, 900, 2_500];

interface Asking {
  /** The conversation that is open; empty for a new one. */
  id: string;
  /** The roles that a new one is with. */
  roles: readonly string[];
  /** The roles that answer one after the other where everyone is asked. */
  seated: readonly string[];
  /** A question is on its way. */
  onAsk: () => void;
  /** What went wrong; `null` for nothing. */
  onTrouble: (error: unknown) => void;
}

/** Ask here, answer a question again, or ask it differently in a conversation of its own. */
export function useAsk({ id, roles, seated, onAsk, onTrouble }: Asking) {
  const router = useRouter();
  const cache = useQueryClient();

  /**
   * Wait until the node has written the answer down: a stopped one comes a moment after the
   * connection closed.
   */
  const settle = useCallback(
    async (conversation: string): Promise<void> => {
      for (const wait of SETTLE_MS) {
        await cache.refetchQueries({ queryKey: conversationQuery(conversation).queryKey });
        await cache.invalidateQueries({ queryKey: conversationsQuery.queryKey });
        const kept = cache.getQueryData(conversationQuery(conversation).queryKey);
        if (kept?.items.at(-1)?.role === "assistant") return;
        await new Promise((done) => setTimeout(done, wait));
      }
    },
    [cache],
  );
  const askIn = useCallback(
    async (where: string, question: string, to = ""): Promise<void> => {
      onTrouble(null);
      onAsk();
      let conversation = where;
      try {
        if (conversation === "") {
          const made = await createConversation(roles);
          conversation = made.id;
          cache.setQueryData(conversationQuery(made.id).queryKey, { ...made, items: [] });
        }
      } catch (error) {
        onTrouble(error);
        return;
      }
      const round = to === EVERYONE ? seated : [to];
      for (const [at, one] of round.entries()) {
        const answered = ask(conversation, at === 0 ? question : "", one);
        if (at === 0 && conversation !== id)
          router.replace(`/?id=${encodeURIComponent(conversation)}`);
        const ended = await answered;
        await settle(conversation);
        if (ended !== "done") return;
      }
    },
    [cache, id, onAsk, onTrouble, roles, router, seated, settle],
  );
  const askHere = useCallback(
    (question: string, to = ""): Promise<void> => askIn(id, question, to),
    [askIn, id],
  );
  const answerAgain = useCallback(
    async (asked: string, question: string): Promise<void> => {
      onTrouble(null);
      await askAnew(id, asked, question);
      await settle(id);
    },
    [id, onTrouble, settle],
  );
  const branchAt = useCallback(
    async (asked: string, question: string): Promise<void> => {
      onTrouble(null);
      try {
        const made = await branchConversation(id, asked);
        await cache.query(conversationQuery(made.id));
        void cache.invalidateQueries({ queryKey: conversationQuery(id).queryKey });
        await askIn(made.id, question);
      } catch (error) {
        onTrouble(error);
      }
    },
    [askIn, cache, id, onTrouble],
  );
  return { askHere, answerAgain, branchAt };
}
