/**
 * Answers that are being written now. They live outside the screens, so that going to the library
 * and back loses nothing.
 */
import { useSyncExternalStore } from "react";
import { NodeProblem } from "@/lib/api/client";
import { answerAgain, takeTurn, type Asked } from "@/lib/api/turns";
import type { AnswerEvent, Citation, Item, Part, Problem, Turn } from "@/lib/api/types";

/** `looking`: asked, nothing found yet. `reading`: the evidence is here, no word yet. */
export type Phase = "looking" | "reading" | "writing" | "done" | "stopped" | "failed" | "exhausted";

export interface Live {
  /** Under which it is drawn, and stays drawn once the history holds it. */
  readonly key: string;
  readonly question: string;
  /** The turn that is answered again; none where the question is new. */
  readonly asked: string | null;
  /** With the training in use, or by the model without it. */
  readonly trained: boolean;
  readonly phase: Phase;
  /** What the model thinks before it answers. */
  readonly thought: string;
  readonly parts: readonly Part[];
  readonly citations: readonly Citation[];
  readonly evidence: readonly Item[];
  /** Of a conversation with roles: which of them answers. */
  readonly speaker: Turn["speaker"];
  /** How many answers the model words before this one, as it was when this one was asked for. */
  readonly ahead?: number;
  /**
   * The turn under which the node keeps this answer; the live one gives way once the history holds
   * it.
   */
  readonly answerId: string;
  readonly abstained: boolean;
  readonly outcome?: Turn["outcome"];
  readonly error: unknown;
  readonly problem: Problem | null;
}

const BEGIN: Omit<Live, "key" | "question" | "asked" | "trained"> = {
  phase: "looking",
  thought: "",
  parts: [],
  citations: [],
  evidence: [],
  speaker: null,
  answerId: "",
  abstained: false,
  error: null,
  problem: null,
};

const begun = (question: string, asked: string | null, trained: boolean): Live => ({
  ...BEGIN,
  key: crypto.randomUUID(),
  question,
  asked,
  trained,
});

/** What an event makes of an answer. Pure, so that it can be tested without a node. */
export function after(live: Live, { event, data }: AnswerEvent): Live {
  switch (event) {
    case "evidence":
      return {
        ...live,
        phase: "reading",
        evidence: data.items,
        speaker: data.turn.speaker ?? null,
        answerId: data.answer_id,
      };
    case "waiting":
      return { ...live, ahead: data.ahead };
    case "thought":
      return { ...live, thought: live.thought + data.text };
    case "token": {
      const parts = [...live.parts];
      const part = parts[data.part] ?? { kind: data.kind, text: "", citations: [] };
      parts[data.part] = { ...part, kind: data.kind, text: part.text + data.text };
      return { ...live, phase: "writing", parts };
    }
    case "citation": {
      const parts = [...live.parts];
      const part = parts[data.part];
      if (part && !part.citations.includes(data.citation.n))
        parts[data.part] = { ...part, citations: [...part.citations, data.citation.n] };
      const known = live.citations.some((citation) => citation.n === data.citation.n);
      return {
        ...live,
        parts,
        citations: known ? live.citations : [...live.citations, data.citation],
      };
    }
    case "done":
      return {
        ...live,
        phase: "done",
        parts: data.turn.parts,
        citations: data.turn.citations,
        evidence: live.evidence.length > 0 ? live.evidence : data.turn.evidence,
        abstained: data.turn.abstained,
        outcome: data.turn.outcome ?? null,
        answerId: data.turn.id,
      };
    case "exhausted":
      return { ...live, phase: "exhausted", answerId: data.turn.id };
    case "failed":
      return { ...live, phase: "failed", problem: data.problem, answerId: data.turn?.id ?? "" };
  }
}

interface Running {
  live: Live;
  controller: AbortController;
}
const running = new Map<string, Running>();
const listeners = new Set<() => void>();
const tell = (): void => {
  for (const listener of listeners) listener();
};

/** Ask in a conversation. Ends when the answer has ended, and gives which way. */
export const ask = (conversation: string, asked: Asked): Promise<Phase> =>
  follow(conversation, begun(asked.text, null, asked.trained), (signal) =>
    takeTurn(conversation, asked, crypto.randomUUID(), signal),
  );

/** Have a question answered again, by the turn that holds it. */
export const askAnew = (
  conversation: string,
  turn: string,
  { text, trained }: Pick<Asked, "text" | "trained">,
): Promise<Phase> =>
  follow(conversation, begun(text, turn, trained), (signal) =>
    answerAgain(conversation, turn, trained, signal),
  );

async function follow(
  conversation: string,
  begin: Live,
  events: (signal: AbortSignal) => AsyncIterable<AnswerEvent>,
): Promise<Phase> {
  running.get(conversation)?.controller.abort();
  const controller = new AbortController();
  const mine: Running = { live: begin, controller };
  running.set(conversation, mine);
  tell();
  const become = (live: Live): void => {
    mine.live = live;
    tell();
  };
  try {
    for await (const event of events(controller.signal)) become(after(mine.live, event));
    // The node closed the stream without a last word: it went down in the middle of a sentence.
    if (
      mine.live.phase !== "done" &&
      mine.live.phase !== "failed" &&
      mine.live.phase !== "exhausted"
    )
      become({ ...mine.live, phase: "failed", error: new NodeProblem("silent", 0, "", "", "") });
  } catch (error) {
    // Reading a broken connection rejects with whatever the browser calls it; stopping rejects with
    // the abort.
    become(
      controller.signal.aborted
        ? { ...mine.live, phase: "stopped" }
        : {
            ...mine.live,
            phase: "failed",
            error: error instanceof NodeProblem ? error : new NodeProblem("silent", 0, "", "", ""),
          },
    );
  }
  return mine.live.phase;
}

/** Stop the model at once. What was written stays. */
export const stop = (conversation: string): void => running.get(conversation)?.controller.abort();

/** By the turn of a question: under which key its exchange was drawn when it was asked. */
export type DrawnAs = ReadonlyMap<string, string>;
let drawn: DrawnAs = new Map();

/** By the answer's turn: what was thought before it. Kept nowhere else. */
const thoughts = new Map<string, string>();

/** The history holds this answer now, to the question of the turn `asked`. */
export function forget(conversation: string, asked: string): void {
  const live = running.get(conversation)?.live;
  if (!live) return;
  // Drawn under another key it would be drawn anew, and whoever stood in it would lose their place.
  if (live.asked === null && asked !== "") drawn = new Map([...drawn, [asked, live.key]]);
  if (live.thought !== "") thoughts.set(live.answerId, live.thought);
  running.delete(conversation);
  tell();
}

export const isWriting = (live: Pick<Live, "phase"> | null): boolean =>
  live !== null &&
  (live.phase === "looking" || live.phase === "reading" || live.phase === "writing");

const listen = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useLive = (conversation: string): Live | null =>
  useSyncExternalStore(
    listen,
    () => running.get(conversation)?.live ?? null,
    () => null,
  );

/** What was thought before an answer, as long as this page is open. */
export const useThought = (answer: string): string =>
  useSyncExternalStore(
    listen,
    () => thoughts.get(answer) ?? "",
    () => "",
  );

export const useDrawnAs = (): DrawnAs =>
  useSyncExternalStore(
    listen,
    () => drawn,
    () => drawn,
  );
