/** A conversation as pairs of question and answer, those of the history and the one being written. */
import type { Citation, Item, Part, Problem, Turn } from "@/lib/api/types";
import { isWriting, type Live, type Phase } from "./live";

export interface Answer {
  readonly phase: Phase;
  readonly parts: readonly Part[];
  readonly citations: readonly Citation[];
  readonly evidence: readonly Item[];
  readonly abstained: boolean;
  readonly model: string | null;
  readonly error: unknown;
  readonly problem: Problem | null;
}

export interface Exchange {
  readonly key: string;
  readonly question: string;
  readonly answer: Answer | null;
}

const fromTurn = (turn: Turn): Answer => ({
  phase: turn.state,
  parts: turn.parts,
  citations: turn.citations,
  evidence: turn.evidence,
  abstained: turn.abstained,
  model: turn.model,
  error: null,
  problem: turn.problem,
});

/** Whether the history already holds what is being shown live. */
export function holds(turns: readonly Turn[], live: Live): boolean {
  if (live.answerId !== "") return turns.some((turn) => turn.id === live.answerId);
  // Stopped before the node had said under which id it answers: the last exchange is this one.
  const [asked, answered] = turns.slice(-2);
  return !isWriting(live) && asked?.role === "user" && asked.text === live.question.trim() && answered?.role === "assistant";
}

export function exchangesOf(turns: readonly Turn[], live: Live | null): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  const liveIsNew = live !== null && !holds(turns, live);
  for (const turn of turns) {
    if (turn.role === "user") {
      exchanges.push({ key: turn.id, question: turn.text, answer: null });
    } else {
      const last = exchanges.pop();
      exchanges.push({ key: last?.key ?? turn.id, question: last?.question ?? "", answer: fromTurn(turn) });
    }
  }
  if (liveIsNew) {
    // The history may hold the question already, while its answer is being written.
    const last = exchanges.at(-1);
    if (last?.answer === null && last.question === live.question) exchanges.pop();
    exchanges.push({ key: last?.answer === null && last.question === live.question ? last.key : "live", question: live.question, answer: { ...live, model: "" } });
  }
  return exchanges;
}

/** A note of the margin: something cited, with its number, or something found and not (yet) used. */
export interface NoteOf {
  readonly key: string;
  readonly n: number | null;
  readonly quote: string;
  readonly title: string;
  readonly documentKind: string | undefined;
  readonly source: string;
  readonly page: number | null;
  readonly document: string;
  readonly start: number;
  readonly end: number;
  readonly sealed: boolean;
  readonly item: Item | undefined;
}

const noteOfItem = (item: Item): NoteOf => ({
  key: item.id,
  n: null,
  quote: item.content,
  title: item.document.title,
  documentKind: item.document.kind,
  source: item.source,
  page: item.page,
  document: item.document.id,
  start: item.start,
  end: item.end,
  sealed: item.document.private,
  item,
});

/** The notes of an answer: the cited ones in the order of their numbers, then the others in the order they were found. */
export function notesOf(answer: Answer): { readonly cited: readonly NoteOf[]; readonly others: readonly NoteOf[] } {
  const seen = new Set<string>();
  const cited = answer.citations
    .toSorted((a, b) => a.n - b.n)
    .map((citation): NoteOf => {
      const item = answer.evidence.find((candidate) => candidate.id === citation.id);
      // Two sentences may rest on one passage: the first keeps its place when the passage gets a number.
      const key = seen.has(citation.id) ? `${citation.id} ${citation.n}` : citation.id;
      seen.add(citation.id);
      return {
        key,
        n: citation.n,
        quote: citation.quote,
        title: citation.title,
        documentKind: item?.document.kind,
        source: citation.source,
        page: citation.page,
        document: citation.document,
        start: citation.start,
        end: citation.end,
        sealed: item?.document.private ?? false,
        item,
      };
    });
  return { cited, others: answer.evidence.filter((item) => !seen.has(item.id)).map(noteOfItem) };
}

/** Cut a text into the sentences that are complete, for announcing them one by one. */
export function completeSentences(text: string): readonly string[] {
  return text.match(/[^.!?。！？]+(?:[.!?]+(?=\s)|[。！？]+)/gu) ?? [];
}
