import { expect, it } from "vitest";
import type { Turn } from "@/lib/api/types";
import { threadsByFirst } from "./threads";

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
});

it("a thread begins with its first turn, and what goes on after the last that ended", () => {
  const turns = [
    turn("q1", "user", "2026-03-14T09:00:00Z"),
    turn("a1", "assistant", "2026-03-14T09:00:01Z"),
    turn("q2", "user", "2026-03-14T10:00:00Z"),
    turn("a2", "assistant", "2026-03-14T10:00:01Z"),
  ];
  expect([...threadsByFirst([thread("q1", "a1")], turns)]).toEqual([
    ["q1", { at: "2026-03-14T09:00:00Z", keywords: ["van"] }],
    ["q2", { at: "2026-03-14T10:00:00Z", keywords: [] }],
  ]);
});

it("without a thread that has ended there is none to part", () => {
  expect(threadsByFirst([], [turn("q1", "user", "2026-03-14T09:00:00Z")]).size).toBe(0);
});
