/** The five stages of a training, and in which one it is. */
import type { Training } from "@/lib/api/types";

export const STAGES = ["gathered", "measured", "learning", "written", "examined"] as const;
export type Stage = (typeof STAGES)[number];

const BY_STEP: Readonly<Record<string, Stage>> = {
  gather: "gathered",
  word: "gathered",
  think: "gathered",
  measure: "measured",
  learn: "learning",
  prefer: "learning",
  export: "written",
  examine: "examined",
};

/** How far the job of a training gets by what a model writes before anything is measured. */
const WRITTEN_AT = 0.04;

/** How much of the questions, or of the thoughts, is written; `null` while nothing is. */
export const writtenShare = ({ job }: Training): number | null =>
  job && (job.step === "word" || job.step === "think")
    ? Math.min(1, job.progress / WRITTEN_AT)
    : null;

/**
 * The stage that it is in; `null` where all are passed. What its job says counts most, then what it
 * left behind.
 */
export function stageOf(run: Training): Stage | null {
  if (run.state === "ready") return null;
  const said = run.job ? BY_STEP[run.job.step] : undefined;
  if (said) return said;
  return run.outcome ? "examined" : run.estimate ? "learning" : "measured";
}
