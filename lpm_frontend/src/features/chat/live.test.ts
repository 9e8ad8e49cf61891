import { describe, expect, it } from "vitest";
import type { AnswerEvent, Citation, Item, Turn } from "@/lib/api/types";
import { completeSentences, exchangesOf, heldAt, historyOf, notesOf, withLive } from "./exchanges";
import { after, type Live } from "./live";

const item = (id: string): Item => ({
  id,
  kind: "passage",
  content: `words of ${id}`,
  timestamp: null,
  entities: [],
  source: `documents/d#L1`,
  score: 1,
  signals: null,
  matched: [],
  speaker: null,
  document: { id: "d", title: "diary", kind: "text", private: false },
  start: 0,
  end: 5,
  page: null,
  turn: null,
});
const citation = (n: number, id: string): Citation => ({
  n,
  id,
  source: "documents/d#L1",
  quote: "words",
  document: "d",
  title: "diary",
  start: 0,
  end: 5,
  page: null,
});
const turn = (id: string, role: Turn["role"], text: string): Turn => ({
  id,
  role,
  text,
  state: "done",
  created_at: "2025-11-20T10:00:00Z",
  parts: [],
  citations: [],
  evidence: [],
  model: null,
  abstained: false,
  problem: null,
});
const asked: Live = {
  key: "drawn",
  question: "When?",
  asked: null,
  trained: true,
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
const play = (events: readonly AnswerEvent[]): Live => events.reduce(after, asked);

describe("an answer that is being written", () => {
  const evidence: AnswerEvent = {
    event: "evidence",
    data: {
      turn: turn("q", "user", "When?"),
      items: [item("a"), item("b")],
      level: "words",
      answer_id: "t1",
    },
  };

  it("has its evidence before its first word", () => {
    const live = play([evidence]);
    expect(live.phase).toBe("reading");
    expect(live.parts).toEqual([]);
    expect(notesOf(live).others.map((note) => note.key)).toEqual(["a", "b"]);
  });

  it("says how many answers come first, until its own first word", () => {
    const waiting = play([evidence, { event: "waiting", data: { ahead: 2 } }]);
    expect([waiting.phase, waiting.ahead]).toEqual(["reading", 2]);
    expect(
      after(waiting, { event: "token", data: { part: 0, kind: "statement", text: "In " } }).phase,
    ).toBe("writing");
  });

  it("keeps what is thought apart from what is said", () => {
    const live = play([
      evidence,
      { event: "thought", data: { text: "Who " } },
      { event: "thought", data: { text: "was it?" } },
      { event: "token", data: { part: 0, kind: "statement", text: "Mai." } },
    ]);
    expect([live.thought, live.phase]).toEqual(["Who was it?", "writing"]);
    expect(live.parts.map((part) => part.text)).toEqual(["Mai."]);
  });

  it("grows part by part and numbers what it rests on", () => {
    const live = play([
      evidence,
      { event: "token", data: { part: 0, kind: "statement", text: "In " } },
      { event: "token", data: { part: 0, kind: "statement", text: "April." } },
      { event: "citation", data: { part: 0, citation: citation(1, "b") } },
      { event: "token", data: { part: 1, kind: "quotation", text: "At last." } },
      { event: "citation", data: { part: 1, citation: citation(1, "b") } },
    ]);
    expect(live.parts).toEqual([
      { kind: "statement", text: "In April.", citations: [1] },
      { kind: "quotation", text: "At last.", citations: [1] },
    ]);
    const notes = notesOf(live);
    expect(notes.cited.map((note) => [note.n, note.key])).toEqual([[1, "b"]]);
    expect(notes.others.map((note) => note.key)).toEqual(["a"]);
  });

  it("keeps apart what nobody looked for", () => {
    const late = { ...item("c"), lately: true };
    const live = play([
      { ...evidence, data: { ...evidence.data, items: [item("a"), late] } },
      { event: "token", data: { part: 0, kind: "statement", text: "In May." } },
      { event: "citation", data: { part: 0, citation: citation(1, "c") } },
    ]);
    const notes = notesOf(live);
    expect(notes.cited.map((note) => note.key)).toEqual(["c"]);
    expect(notes.others.map((note) => note.key)).toEqual(["a"]);
    expect(notes.lately.map((note) => note.key)).toEqual(["c"]);
  });

  it("keeps what it had when the model breaks down", () => {
    const live = play([
      evidence,
      { event: "token", data: { part: 0, kind: "statement", text: "In A" } },
      {
        event: "failed",
        data: {
          problem: { title: "The model is not responding", detail: "", hint: "" },
          turn: null,
        },
      },
    ]);
    expect(live.phase).toBe("failed");
    expect(live.parts[0]?.text).toBe("In A");
    expect(live.evidence).toHaveLength(2);
  });
});

describe("a conversation", () => {
  it("shows the live answer once, whether or not the history holds the question already", () => {
    const live: Live = { ...asked, phase: "writing" };
    expect(exchangesOf([], live)).toHaveLength(1);
    expect(exchangesOf([turn("q", "user", "When?")], live)).toHaveLength(1);
    expect(
      exchangesOf(
        [turn("q0", "user", "Who?"), turn("t0", "assistant", "Jonas."), turn("q", "user", "When?")],
        live,
      ).map((exchange) => exchange.question),
    ).toEqual(["Who?", "When?"]);
  });

  it("gives way to the history when that holds the answer", () => {
    const live: Live = { ...asked, phase: "stopped", answerId: "t1" };
    const turns = [turn("q", "user", "When?"), turn("t1", "assistant", "In April.")];
    expect(heldAt(turns, live)).toBe("q");
    expect(exchangesOf(turns, live)).toHaveLength(1);
  });

  it("is drawn under one key from the first word to the history, so that focus stays", () => {
    const question = turn("q", "user", "When?");
    const turns = [question, turn("t1", "assistant", "In April.")];
    const keys = [
      exchangesOf([], asked),
      exchangesOf([question], { ...asked, phase: "writing" }),
      exchangesOf(turns, { ...asked, phase: "done", answerId: "t1" }),
      historyOf(turns, new Map([["q", "drawn"]])),
    ].map((exchanges) => exchanges.map((exchange) => exchange.key));
    expect(keys).toEqual([["drawn"], ["drawn"], ["drawn"], ["drawn"]]);
  });

  it("knows an answer that was stopped before it had a name", () => {
    expect(
      heldAt([turn("q", "user", "When?"), turn("t1", "assistant", "")], {
        ...asked,
        phase: "stopped",
      }),
    ).toBe("q");
    expect(
      heldAt([turn("q", "user", "Who?"), turn("t1", "assistant", "")], {
        ...asked,
        phase: "stopped",
      }),
    ).toBeNull();
  });
});

it("announces only sentences that are complete", () => {
  expect(completeSentences("You moved in April. You waited")).toEqual(["You moved in April."]);
  expect(completeSentences("四月です。待った")).toEqual(["四月です。"]);
});

describe("a question that is answered again", () => {
  const first = {
    ...turn("t1", "assistant", "In April."),
    answers: "q1",
    variants: ["t1"],
    parts: [{ kind: "statement" as const, text: "In April.", citations: [] }],
  };
  const turns = [
    turn("q1", "user", "When?"),
    first,
    turn("q2", "user", "Why?"),
    turn("t2", "assistant", "Rain."),
  ];
  const history = historyOf(turns);
  const again: Live = { ...asked, asked: "q1", answerId: "t3" };

  it("writes in the place of the answer that was there, and leaves the others as they are", () => {
    const shown = withLive(history, turns, {
      ...again,
      phase: "writing",
      parts: [{ kind: "statement", text: "On the sixth.", citations: [] }],
    });
    expect(shown.map((exchange) => exchange.answer?.parts[0]?.text)).toEqual([
      "On the sixth.",
      undefined,
    ]);
    expect(shown[1]).toBe(history[1]);
  });

  it("says where memory offers nothing else, and keeps the answer", () => {
    const live = after(again, { event: "exhausted", data: { turn: first } });
    const [shown] = withLive(history, turns, live);
    expect(shown?.exhausted).toBe(true);
    expect(shown?.answer).toBe(history[0]?.answer);
  });

  it("keeps the answer beside what went wrong", () => {
    const [shown] = withLive(history, turns, { ...again, phase: "failed" });
    expect(shown?.answer).toBe(history[0]?.answer);
    expect(shown?.trouble?.phase).toBe("failed");
  });
});
