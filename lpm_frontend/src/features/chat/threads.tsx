"use client";
/**
 * Threads of a conversation: where one ends and the next begins, and what is most telling in each.
 */
import { Combine } from "lucide-react";
import Link from "next/link";
import { usePartThread } from "@/lib/api/threads";
import type { ConversationWhole, Turn } from "@/lib/api/types";
import { formatDate, formatTime, useLanguage, useText } from "@/lib/i18n";
import { offerUndoWhen } from "@/lib/undo";
import { IconButton } from "@/ui/button";
import { Trouble } from "@/ui/trouble";
import type { Exchange } from "./exchanges";

type Thread = NonNullable<ConversationWhole["threads"]>[number];
type Sentence = NonNullable<Thread["summary"]>[number];

/** Where a thread begins, and what it is about as far as it has ended. */
export interface Beginning {
  /** The turn with which it begins. */
  readonly turn: string;
  readonly at: string;
  readonly keywords: readonly string[];
  /** Its summary, where the words are there too. */
  readonly summary: readonly Sentence[];
}

/** Exchanges of which only the summary was kept. */
export interface ReducedPart {
  readonly keys: readonly string[];
  readonly turns: number;
  readonly summary: readonly Sentence[];
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
    threads.map((thread) => [
      thread.first,
      {
        turn: thread.first,
        at: thread.started_at,
        keywords: thread.keywords,
        summary: thread.reduced ? [] : (thread.summary ?? []),
      },
    ]),
  );
  const last = threads.at(-1);
  const ended = last ? turns.findIndex((turn) => turn.id === last.last) : -1;
  const next = ended < 0 ? undefined : turns.slice(ended + 1).find((turn) => turn.role === "user");
  if (next) found.set(next.id, { turn: next.id, at: next.created_at, keywords: [], summary: [] });
  return found;
}

/**
 * What stands in the place of exchanges whose words are gone, by the key of the first of each
 * thread; the others of it are shown there too.
 */
export function reducedByKey(
  exchanges: readonly Exchange[],
  threads: readonly Thread[],
): ReadonlyMap<string, ReducedPart> {
  const found = new Map<string, ReducedPart>();
  let group: Exchange[] = [];
  const close = (): void => {
    const [first] = group;
    if (!first) return;
    const turns = group.flatMap((exchange) => exchange.gone ?? []);
    const thread = threads.find(
      ({ first: begins, last: ends }) => turns.includes(begins) || turns.includes(ends),
    );
    found.set(first.key, {
      keys: group.map((exchange) => exchange.key),
      turns: turns.length,
      summary: thread?.summary ?? [],
    });
    group = [];
  };
  for (const exchange of exchanges) {
    if (!exchange.gone || threads.some((thread) => thread.first === exchange.asked)) close();
    if (exchange.gone) group.push(exchange);
  }
  close();
  return found;
}

interface DividerProps {
  conversation: string;
  begins: Beginning | undefined;
  /** Nothing stands before it. */
  first: boolean;
}

/**
 * A quiet line between two threads: when the next begins, what it is about, and its summary for
 * whoever opens it.
 */
export function ThreadDivider({ conversation, begins, first }: DividerProps) {
  const text = useText();
  const language = useLanguage();
  const { part, join } = usePartThread(conversation);
  if (!begins || (first && begins.summary.length === 0)) return null;
  return (
    <div className="chat-page">
      <div className={first ? "thread-line first" : "thread-line"}>
        <time dateTime={begins.at}>
          {formatDate(begins.at, language)} {formatTime(begins.at, language)}
        </time>
        {begins.keywords.length > 0 ? (
          <span>{begins.keywords.slice(0, SHOWN).join(" · ")}</span>
        ) : null}
        {first ? null : (
          <IconButton
            className="thread-join"
            icon={Combine}
            label={text.keeping.join}
            disabled={join.isPending}
            onClick={() =>
              offerUndoWhen(join.mutateAsync(begins.turn), () => ({
                sentence: text.keeping.joined,
                undo: () => part.mutate(begins.turn),
              }))
            }
          />
        )}
        {begins.summary.length > 0 ? (
          <details className="thread-summary">
            <summary>{text.keeping.summary}</summary>
            <Sentences of={begins.summary} conversation={conversation} />
          </details>
        ) : null}
      </div>
      {join.isError ? <Trouble error={join.error} /> : null}
    </div>
  );
}

/** What was kept of exchanges whose words are gone. */
export function Reduced({ part }: { part: ReducedPart | undefined }) {
  const text = useText();
  if (!part) return null;
  return (
    <div className="chat-page">
      <section className="reduced" data-gone={part.keys.join(" ")} tabIndex={-1}>
        <h2 className="label">{text.keeping.onlySummaryOf(part.turns)}</h2>
        {part.summary.length > 0 ? (
          <Sentences of={part.summary} conversation="" />
        ) : (
          <p className="small faint">{text.keeping.nothingKept}</p>
        )}
      </section>
    </div>
  );
}

/** Sentences as they were said, each with who said it; with a conversation, with the way there. */
function Sentences({ of, conversation }: { of: readonly Sentence[]; conversation: string }) {
  const text = useText();
  const who = (sentence: Sentence): string =>
    sentence.own
      ? text.keeping.you
      : sentence.speaker
        ? sentence.speaker.name || text.chat.roleSomebody
        : text.keeping.self;
  return (
    <ul className="summary-lines">
      {of.map((sentence) => (
        <li key={`${sentence.turn} ${sentence.text}`}>
          <span className="tiny faint">
            {who(sentence)} · {text.keeping.kinds[sentence.kind]}
          </span>
          {conversation === "" ? (
            <span className={sentence.own ? "own" : undefined}>{sentence.text}</span>
          ) : (
            <Link
              className={sentence.own ? "own" : undefined}
              href={`/?id=${encodeURIComponent(conversation)}&turn=${encodeURIComponent(sentence.turn)}`}
              title={text.keeping.open}
            >
              {sentence.text}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}
