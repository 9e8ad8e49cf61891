/** Asking in a conversation: a first time, again, and differently in one of its own. */
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useCallback } from "react";
import {
  branchConversation,
  conversationQuery,
  conversationsQuery,
  createConversation,
  keepVariant,
  showVariant,
} from "@/lib/api/conversations";
import { setBeside } from "./beside";
import type { Answer } from "./exchanges";
import { ask, askAnew } from "./live";
import { EVERYONE } from "./spoken-by";
import type { Voice } from "./voices";

/** How long the node may take to write a stopped turn down, in tries. */
const SETTLE_MS = [250, 900, 2_500];

interface Asking {
  /** The conversation that is open; empty for a new one. */
  id: string;
  /** The roles that a new one is with. */
  roles: readonly string[];
  /** The roles that answer one after the other where everyone is asked. */
  seated: readonly string[];
  /** What a new one keeps; `null`: as the settings say. */
  keeping: "none" | null;
  /** With the training in use, without it, or once each. */
  voice: Voice;
  /** A question is on its way. */
  onAsk: () => void;
  /** What went wrong; `null` for nothing. */
  onTrouble: (error: unknown) => void;
}

/**
 * Ask here, answer a question again or by the other model beside it, or ask it differently in a
 * conversation of its own.
 */
export function useAsk({ id, roles, seated, keeping, voice, onAsk, onTrouble }: Asking) {
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
          const made = await createConversation(roles, keeping);
          conversation = made.id;
          cache.setQueryData(conversationQuery(made.id).queryKey, { ...made, items: [] });
        }
      } catch (error) {
        onTrouble(error);
        return;
      }
      const round = to === EVERYONE ? seated : [to];
      for (const [at, one] of round.entries()) {
        const answered = ask(conversation, {
          text: at === 0 ? question : "",
          to: one,
          trained: voice === "self",
        });
        if (at === 0 && conversation !== id)
          router.replace(`/?id=${encodeURIComponent(conversation)}`);
        const ended = await answered;
        await settle(conversation);
        if (ended !== "done") return;
      }
      if (voice !== "both") return;
      const kept = cache.getQueryData(conversationQuery(conversation).queryKey);
      const asked = kept?.items.at(-1)?.answers ?? null;
      if (asked === null) return;
      keepVariant(cache, conversation, asked);
      setBeside(asked, true);
      await askAnew(conversation, asked, { text: question, trained: true });
      await settle(conversation);
    },
    [cache, id, keeping, onAsk, onTrouble, roles, router, seated, settle, voice],
  );
  const askHere = useCallback(
    (question: string, to = ""): Promise<void> => askIn(id, question, to),
    [askIn, id],
  );
  const answerAgain = useCallback(
    async (asked: string, question: string, trained: boolean): Promise<void> => {
      onTrouble(null);
      await askAnew(id, asked, { text: question, trained });
      await settle(id);
    },
    [id, onTrouble, settle],
  );
  /** The other model answers beside this answer; what is said as the person stands. */
  const compare = useCallback(
    async (asked: string, question: string, answer: Answer): Promise<void> => {
      onTrouble(null);
      keepVariant(cache, id, asked);
      setBeside(asked, true);
      const ended = await askAnew(id, asked, { text: question, trained: answer.voice === "base" });
      await settle(id);
      if (ended !== "done" || answer.voice === "base") return;
      keepVariant(cache, id, asked);
      try {
        await showVariant(cache, id, answer.id);
      } catch (error) {
        onTrouble(error);
      }
    },
    [cache, id, onTrouble, settle],
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
  return { askHere, answerAgain, compare, branchAt };
}
