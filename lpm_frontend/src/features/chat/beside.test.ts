import { describe, expect, it } from "vitest";
import type { Turn } from "@/lib/api/types";
import { inOrder, neighbourOf } from "./beside";
import { fromTurn, withLive, historyOf } from "./exchanges";
import type { Live } from "./live";

const turn = (id: string, role: Turn["role"], more: Partial<Turn> = {}): Turn => ({
  id,
  role,
  text: id,
  state: "done",
  created_at: "2025-11-20T10:00:00Z",
  parts: [],
  citations: [],
  evidence: [],
  model: role === "user" ? null : "SmolLM2",
  abstained: false,
  problem: null,
  ...more,
});
const variants = ["b", "s"];
const base = fromTurn(turn("b", "assistant", { variants }));
const self = fromTurn(turn("s", "assistant", { variants, model: "SmolLM2 + training 3" }));

describe("answers side by side", () => {
  it("tell who words them by the training after the model's name", () => {
    expect([base.voice, self.voice]).toEqual(["base", "self"]);
  });

  it("are the one that is shown and the one before it, or after the first", () => {
    expect([neighbourOf(self), neighbourOf(base)]).toEqual(["b", "s"]);
    expect(neighbourOf({ id: "b", variants: ["b"] })).toBe("");
    expect(neighbourOf({ id: "", variants: [] })).toBe("");
  });

  it("stand in one order whichever is shown: the base model first, else the older", () => {
    expect(inOrder(self, base)).toEqual([base, self]);
    expect(inOrder(base, self)).toEqual([base, self]);
    const later = fromTurn(turn("s", "assistant", { variants }));
    expect(inOrder(later, base)).toEqual([base, later]);
    expect(inOrder(base, later)).toEqual([base, later]);
  });

  it("are both there while the second is being written", () => {
    const turns = [turn("q", "user"), turn("b", "assistant", { answers: "q" })];
    const live: Live = {
      key: "drawn",
      question: "q",
      asked: "q",
      trained: true,
      phase: "writing",
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
    const [exchange] = withLive(historyOf(turns), turns, live);
    expect([exchange?.before?.id, exchange?.answer?.voice]).toEqual(["b", "self"]);
  });
});
