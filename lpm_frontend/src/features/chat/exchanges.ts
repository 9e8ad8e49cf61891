/**
 * A conversation as pairs of question and answer, those of the history and the one being written.
 */
import type { Author, Citation, Item, Part, Problem, SaidIn, Turn } from "@/lib/api/types";
import type { Anchor } from "@/ui/evidence";
import { isWriting, type DrawnAs, type Live, type Phase } from "./live";

export interface Answer {
  /** The turn that holds it; empty while it is being written. */
  readonly id: string;
  /** All answers to the same question, oldest first. */
  readonly variants: readonly string[];
  readonly verdict: Turn["verdict"];
  /** The role that gave it; nobody: the second self. */
  readonly speaker: Turn["speaker"];
  readonly phase: Phase;
  readonly parts: readonly Part[];
  readonly citations: readonly Citation[];
  readonly evidence: readonly Item[];
  readonly abstained: boolean;
  /** What came of the question; nothing yet while it is being written. */
  readonly outcome?: Turn["outcome"];
  readonly model: string | null;
  /** With the training in use, or by the model without one. */
  readonly voice: "self" | "base";
  readonly error: unknown;
  readonly problem: Problem | null;
  /** How many lines of the profile the model was given. */
  readonly inMind: number;
  /** While it is being written: what the model thinks before it. */
  readonly thought?: string;
  /** While it waits: how many answers come first. */
  readonly ahead?: number | undefined;
}

export interface Exchange {
  readonly key: string;
  /** The turn that holds the question; empty while it is new. */
  readonly asked: string;
  readonly question: string;
  readonly answer: Answer | null;
  /** Only the summary was kept: the turns that it was. */
  readonly gone?: readonly string[];
  /** What stood there before, while it is being answered again. */
  readonly before?: Answer;
  /** It was to be answered again, and memory offers nothing else. */
  readonly exhausted?: boolean;
  /** It was to be answered again, and that did not work; the answer stands. */
  readonly trouble?: Answer;
}

/** The name of a model, and the number of the training that it answered with. */
export function modelOf(name: string): { readonly base: string; readonly training: number | null } {
  const [, base, number] = /^(.*) \+ training (\d+)$/u.exec(name) ?? [];
  return base === undefined ? { base: name, training: null } : { base, training: Number(number) };
}

export const fromTurn = (turn: Turn): Answer => ({
  id: turn.id,
  variants: turn.variants ?? [],
  verdict: turn.verdict ?? null,
  speaker: turn.speaker ?? null,
  phase: turn.state === "discarded" ? "stopped" : turn.state,
  parts: turn.parts,
  citations: turn.citations,
  evidence: turn.evidence,
  abstained: turn.abstained,
  outcome: turn.outcome ?? null,
  model: turn.model,
  voice: modelOf(turn.model ?? "").training === null ? "base" : "self",
  error: null,
  problem: turn.problem,
  inMind: turn.in_mind ?? 0,
});

/** Whether the second self found nothing that answers, or only what comes closest. */
export const isWanting = (answer: Answer): boolean =>
  answer.phase === "done" &&
  answer.speaker === null &&
  (answer.abstained || answer.outcome === "closest" || answer.outcome === "nothing");

/** The question's turn, where the history already holds what is being shown live. */
export function heldAt(turns: readonly Turn[], live: Live): string | null {
  if (live.answerId !== "") {
    const at = turns.findIndex((turn) => turn.id === live.answerId);
    return at < 0 ? null : (turns.slice(0, at).findLast((turn) => turn.role === "user")?.id ?? "");
  }
  if (live.asked !== null) return null;
  // Stopped before the node had said under which id it answers: the last exchange is this one.
  const [asked, answered] = turns.slice(-2);
  const held =
    !isWriting(live) &&
    asked?.role === "user" &&
    asked.text === live.question.trim() &&
    answered?.role === "assistant";
  return held ? asked.id : null;
}

/** What was said, as the node keeps it; `drawn` says what is drawn under which key already. */
export function historyOf(turns: readonly Turn[], drawn: DrawnAs = new Map()): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  for (const turn of turns) {
    if (turn.state === "discarded") {
      if (turn.role === "user" || exchanges.length === 0)
        exchanges.push({
          key: turn.id,
          asked: turn.id,
          question: "",
          answer: null,
          gone: [turn.id],
        });
      else {
        const last = exchanges.pop();
        if (last) exchanges.push({ ...last, gone: [...(last.gone ?? []), turn.id] });
      }
    } else if (turn.role === "user") {
      exchanges.push({
        key: drawn.get(turn.id) ?? turn.id,
        asked: turn.id,
        question: turn.text,
        answer: null,
      });
    } else {
      const last = exchanges.pop();
      exchanges.push({
        key: last?.key ?? turn.id,
        asked: last?.asked ?? "",
        question: last?.question ?? "",
        answer: fromTurn(turn),
      });
    }
  }
  return exchanges;
}

const liveAnswer = (live: Live): Answer => ({
  ...live,
  id: "",
  variants: [],
  verdict: null,
  model: "",
  voice: live.trained ? "self" : "base",
  inMind: 0,
});

/**
 * The history with what is being written. What is not touched stays the same object, so that it is
 * not drawn again with every word.
 */
export function withLive(
  history: readonly Exchange[],
  turns: readonly Turn[],
  live: Live | null,
): readonly Exchange[] {
  if (live === null) return history;
  const held = heldAt(turns, live);
  if (live.asked !== null) {
    if (live.phase !== "exhausted" && held !== null) return history;
    return history.map((exchange): Exchange => {
      if (exchange.asked !== live.asked) return exchange;
      if (live.phase === "exhausted") return { ...exchange, exhausted: true };
      return live.phase === "failed"
        ? { ...exchange, trouble: liveAnswer(live) }
        : {
            ...exchange,
            answer: liveAnswer(live),
            ...(exchange.answer ? { before: exchange.answer } : {}),
          };
    });
  }
  if (held !== null)
    return history.map((exchange) =>
      exchange.asked === held ? { ...exchange, key: live.key } : exchange,
    );
  // The history may hold the question already, while its answer is being written.
  const last = history.at(-1);
  const there = last?.answer === null && last.question === live.question ? last : null;
  return [
    ...(there ? history.slice(0, -1) : history),
    {
      key: live.key,
      asked: there?.asked ?? "",
      question: live.question,
      answer: liveAnswer(live),
    },
  ];
}

/** All of it as exchanges. */
export const exchangesOf = (turns: readonly Turn[], live: Live | null): readonly Exchange[] =>
  withLive(historyOf(turns), turns, live);

/**
 * A note of the margin: something cited, with its number, or something found and not (yet) used.
 */
export interface NoteOf {
  readonly key: string;
  readonly n: number | null;
  readonly quote: string;
  /** Whose words they are; `null` where nothing shows it. */
  readonly author: Author | null;
  readonly title: string;
  readonly documentKind: string | undefined;
  /** Whether it was observed, is believed, or sums up. */
  readonly kind: Item["kind"];
  /** Of an opinion that says how sure it is. */
  readonly confidence: number | null;
  readonly source: string;
  readonly anchor: Anchor | null;
  readonly document: string;
  readonly start: number;
  readonly end: number;
  readonly private: boolean;
  /** The chat in which the person said it. */
  readonly saidIn: SaidIn | null;
  /** The person mended or forgot these words since. */
  readonly struck: boolean;
  readonly item: Item | undefined;
}

const noteOfItem = (item: Item): NoteOf => ({
  key: item.id,
  n: null,
  quote: item.content,
  author: item.author ?? null,
  title: item.document.title,
  documentKind: item.document.kind,
  kind: item.kind,
  confidence: item.confidence ?? null,
  source: item.source,
  anchor: item.anchor ?? null,
  document: item.document.id,
  start: item.start,
  end: item.end,
  private: item.document.private,
  saidIn: item.said_in ?? null,
  struck: false,
  item,
});

/**
 * The notes of an answer: the cited ones in the order of their numbers, then the others in the
 * order they were found, and what nobody looked for: told lately in other conversations.
 */
export function notesOf(answer: Pick<Answer, "citations" | "evidence">): {
  readonly cited: readonly NoteOf[];
  readonly others: readonly NoteOf[];
  readonly lately: readonly NoteOf[];
} {
  const seen = new Set<string>();
  const cited = answer.citations
    .toSorted((a, b) => a.n - b.n)
    .map((citation): NoteOf => {
      const item = answer.evidence.find((candidate) => candidate.id === citation.id);
      // Two sentences may rest on one passage: the first keeps its place when the passage gets a
      // number.
      const key = seen.has(citation.id) ? `${citation.id} ${citation.n}` : citation.id;
      seen.add(citation.id);
      return {
        key,
        n: citation.n,
        quote: citation.quote,
        author: citation.author ?? null,
        title: citation.title,
        documentKind: item?.document.kind,
        kind: citation.kind,
        confidence: citation.confidence ?? null,
        source: citation.source,
        anchor: citation.anchor ?? null,
        document: citation.document,
        start: citation.start,
        end: citation.end,
        private: item?.document.private ?? false,
        saidIn: citation.said_in ?? null,
        struck: citation.struck ?? false,
        item,
      };
    });
  const found = answer.evidence.filter((item) => !(item.lately ?? false) && !seen.has(item.id));
  const lately = answer.evidence.filter((item) => item.lately ?? false);
  return { cited, others: found.map(noteOfItem), lately: lately.map(noteOfItem) };
}

/** Cut a text into the sentences that are complete, for announcing them one by one. */
export function completeSentences(text: string): readonly string[] {
  return text.match(/[^.!?。！？]+(?:[.!?]+(?=\s)|[。！？]+)/gu) ?? [];
}
