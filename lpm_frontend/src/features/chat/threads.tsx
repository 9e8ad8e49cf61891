"use client";
/** Threads of a conversation: where one ends and the next begins. */
import type { ConversationWhole, Turn } from "@/lib/api/types";
import { formatDate, formatTime, useLanguage } from "@/lib/i18n";

type Thread = NonNullable<ConversationWhole["threads"]>[number];

/** Where a thread begins, and what it is about as far as it has ended. */
export interface Beginning {
  readonly at: string;
  readonly keywords: readonly string[];
}

const SHOWN = 4;

/**
 * The threads by the turn that each begins with; the one that goes on begins after the last that
 * has ended.
 */
export function threadsByFirst(
  threads: readonly Thread[],
  turns: readonly Turn[],
): ReadonlyMap<string, Beginning> {
  const found = new Map<string, Beginning>(
    threads.map((thread) => [thread.first, { at: thread.started_at, keywords: thread.keywords }]),
  );
  const last = threads.at(-1);
  const ended = last ? turns.findIndex((turn) => turn.id === last.last) : -1;
  const next = ended < 0 ? undefined : turns.slice(ended + 1).find((turn) => turn.role === "user");
  if (next) found.set(next.id, { at: next.created_at, keywords: [] });
  return found;
}

/** A quiet line between two threads: when the next begins, and what it is about. */
export function ThreadDivider({ begins }: { begins: Beginning | undefined }) {
  const language = useLanguage();
  if (!begins) return null;
  return (
    <div className="chat-page">
      <p className="thread-line">
        <time dateTime={begins.at}>
          {formatDate(begins.at, language)} {formatTime(begins.at, language)}
        </time>
        {begins.keywords.length > 0 ? (
          <span>{begins.keywords.slice(0, SHOWN).join(" · ")}</span>
        ) : null}
      </p>
    </div>
  );
}
