/**
 * What an examination measures: in which order it is shown, which way is better, and what a
 * difference is called.
 */
import type { Figure, Scorecard } from "@/lib/api/types";

export const MEASURES = [
  "fact_retention",
  "fact_choice",
  "third_party",
  "grounding",
  "abstention",
  "enhance_recall",
  "critic",
  "preference",
  "preferred_answers",
  "style_distance",
  "leak_rate",
  "general",
  "perplexity_drift",
] as const;
export type Measure = (typeof MEASURES)[number];
/** The same questions, several ways. */
export const ARMS = [
  "base",
  "before",
  "retrieval",
  "sft",
  "sft_retrieval",
  "sft_dpo",
  "sft_dpo_retrieval",
] as const;
export type Arm = (typeof ARMS)[number];

/** What a training came to: with preferences, where it learned any. */
export const finalArm = (arms: Scorecard["arms"]): "sft" | "sft_dpo" =>
  "sft_dpo" in arms ? "sft_dpo" : "sft";

const LOWER_IS_BETTER: ReadonlySet<string> = new Set<Measure>([
  "leak_rate",
  "perplexity_drift",
  "style_distance",
]);
/** Measures for which no question is asked. */
const BY_RULE: ReadonlySet<string> = new Set<Measure>([
  "perplexity_drift",
  "preference",
  "style_distance",
]);
const MUCH = 0.3;

export type Change = "muchBetter" | "better" | "same" | "littleWorse" | "worse";

export interface Measured {
  readonly measure: Measure;
  readonly before: Figure | null;
  readonly after: Figure;
  readonly change: Change;
  /** Where guessing would be. */
  readonly chance: number | null;
}

/**
 * What became of a measure. A difference counts where the figure before lies outside the interval
 * of the one after.
 */
export function changeOf(
  measure: string,
  before: Figure | null,
  after: Figure,
  reasons: readonly string[],
): Change {
  if (reasons.includes(measure)) return "worse";
  if (!before) return "same";
  const up = (after.value - before.value) * (LOWER_IS_BETTER.has(measure) ? -1 : 1);
  const clear = before.value < after.low || before.value > after.high;
  if (!clear || up === 0) return "same";
  return up < 0 ? "littleWorse" : up >= MUCH ? "muchBetter" : "better";
}

/** The measures that were taken, before and after. */
export const measured = ({ arms, verdict }: Scorecard): readonly Measured[] =>
  MEASURES.flatMap((measure) => {
    const after = arms[finalArm(arms)]?.[measure];
    if (!after || after.n === 0) return [];
    // the base is not asked for preferences
    const first = measure === "preference" ? arms["sft"] : (arms["before"] ?? arms["base"]);
    const before = first?.[measure] ?? null;
    return [
      {
        measure,
        before,
        after,
        change: changeOf(measure, before, after, verdict.reasons),
        chance: chanceOf(measure),
      },
    ];
  });

/** How many questions were asked. */
export const questionsOf = ({ arms }: Scorecard): number =>
  MEASURES.filter((measure) => !BY_RULE.has(measure)).reduce(
    (sum, measure) => sum + (arms[finalArm(arms)]?.[measure]?.n ?? 0),
    0,
  );

const CHANCE: Partial<Record<Measure, number>> = { fact_choice: 0.25, critic: 0.5 };
/** What guessing would reach, where it reaches something: one answer of four, or of two. */
export const chanceOf = (measure: Measure): number | null => CHANCE[measure] ?? null;

export interface ByArm {
  readonly measure: Measure;
  readonly arms: readonly { readonly arm: Arm; readonly figure: Figure }[];
}

/** Each measure by who was asked, as far as it was taken. */
export const byArm = ({ arms }: Scorecard): readonly ByArm[] =>
  MEASURES.flatMap((measure) => {
    const taken = ARMS.flatMap((arm) => {
      const figure = arms[arm]?.[measure];
      return figure && figure.n > 0 ? [{ arm, figure }] : [];
    });
    return taken.length > 0 ? [{ measure, arms: taken }] : [];
  });

/** Whether it answers from what recall finds, too. */
export const reads = (arm: Arm): boolean => arm.endsWith("retrieval");

/** From where to where a line goes: from nothing to all, and further where figures lie there. */
export const scaleOf = (figures: readonly Figure[]): { low: number; high: number } => ({
  low: Math.min(0, ...figures.map(({ low }) => low)),
  high: Math.max(1, ...figures.map(({ high }) => high)),
});

/** Where a figure stands on such a line, in hundredths. */
export const placeIn = (value: number, { low, high }: { low: number; high: number }): number =>
  placeOf((value - low) / (high - low));

/** Where a share stands on a line, in hundredths. */
export const placeOf = (value: number): number => Math.min(100, Math.max(0, value * 100));
export const percent = (value: number): string => `${Math.round(value * 100)}%`;
