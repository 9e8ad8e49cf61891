import { expect, it } from "vitest";
import type { Job, Training } from "@/lib/api/types";
import { stageOf, writtenShare } from "./stages";

const run = (job: Partial<Job> | null, of: Partial<Training> = {}): Training =>
  ({ state: "working", outcome: null, estimate: null, ...of, job }) as Training;

it("is where its job says that it is, of whatever kind that job is", () => {
  expect(stageOf(run({ kind: "train", step: "prefer" }))).toBe("learning");
  expect(stageOf(run({ kind: "grow", step: "examine" }))).toBe("examined");
  expect(stageOf(run(null, { estimate: { seconds: 60 } }))).toBe("learning");
  expect(stageOf(run(null, { state: "ready" }))).toBeNull();
});

it("says how much a model has written, and nothing where no model writes", () => {
  expect(writtenShare(run({ step: "word", progress: 0.01 }))).toBe(0.25);
  expect(writtenShare(run({ step: "think", progress: 0.05 }))).toBe(1);
  expect(writtenShare(run({ step: "measure", progress: 0.05 }))).toBeNull();
  expect(writtenShare(run(null))).toBeNull();
});
