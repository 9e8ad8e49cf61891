import { expect, it } from "vitest";
import type { Turn } from "@/lib/api/types";
import { historyOf } from "./exchanges";
import { reducedByKey, threadsByFirst } from "./threads";

const turn = (id: string, role: Turn["role"], at: string): Turn => ({
  id,
  role,
  text: id,
  state: "done",
  created_at: at,
  parts: [],
  citations: [],
  evidence: [],
  model: null,
  abstained: false,
  problem: null,
  variants: [],
});

const thread = (first: string, last: string) => ({
  id: `h_${first}`,
  first,
  last,
  started_at: "2026-03-14T09:00:00Z",
  ended_at: "2026-03-14T09:05:00Z",
  reason: "idle" as const,
  keywords: ["van"],
  told: true,
  summary: [],
  reduced: false,
  turns: 2,
});

it("a thread begins with its first turn, and what goes on after the last that ended", () => {
  const turns = [
    turn("q1", "user", "2026-03-14T09:00:00Z"),
    turn("a1", "assistant", "2026-03-14T09:00:01Z"),
    turn("q2", "user", "2026-03-14T10:00:00Z"),
    turn("a2", "assistant", "2026-03-14T10:00:01Z"),
  ];
  expect([...threadsByFirst([thread("q1", "a1")], turns)]).toEqual([
    ["q1", { turn: "q1", at: "2026-03-14T09:00:00Z", keywords: ["van"], summary: [] }],
    ["q2", { turn: "q2", at: "2026-03-14T10:00:00Z", keywords: [], summary: [] }],
  ]);
});

it("without a thread that has ended there is none to part", () => {
  expect(threadsByFirst([], [turn("q1", "user", "2026-03-14T09:00:00Z")]).size).toBe(0);
});

it("exchanges whose words are gone stand together, thread by thread", () => {
  const gone = (id: string, role: Turn["role"]): Turn => ({
    ...turn(id, role, "2026-03-14T09:00:00Z"),
    state: "discarded",
    text: "",
  });
  const said = {
    turn: "q1",
    number: 1,
    kind: "told" as const,
    text: "I sold the van.",
    speaker: null,
    own: true,
  };
  const history = historyOf([
    ...["q1", "q2", "q3"].flatMap((id) => [gone(id, "user"), gone(`a${id}`, "assistant")]),
    turn("q4", "user", "2026-03-14T10:00:00Z"),
  ]);
  const first = { ...thread("q1", "aq2"), reduced: true, summary: [said] };
  const parts = reducedByKey(history, [first, { ...thread("q3", "aq3"), reduced: true }]);
  expect([...parts]).toEqual([
    ["q1", { keys: ["q1", "q2"], turns: 4, summary: [said] }],
    ["q3", { keys: ["q3"], turns: 2, summary: [] }],
  ]);
  expect(history.map((exchange) => exchange.question)).toEqual(["", "", "", "q4"]);
});
