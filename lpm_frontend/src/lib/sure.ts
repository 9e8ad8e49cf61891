/** How sure somebody is, in five steps: what is written is a number, what is said is a word. */

/** Below these lie the first four steps; what is higher is the fifth. */
const BOUNDS = [0.4, 0.55, 0.7, 0.88] as const;
/** What is written for a step that was chosen. */
const WRITTEN = [0.3, 0.5, 0.65, 0.8, 0.95] as const;

export type Step = 1 | 2 | 3 | 4 | 5;
export const STEPS: readonly Step[] = [1, 2, 3, 4, 5];

export const stepOf = (confidence: number): Step =>
  STEPS.find((step) => step === 5 || confidence < (BOUNDS[step - 1] ?? 1)) ?? 5;

/** The number for a step; one that lies in that step already stays as it was written. */
export const confidenceOf = (step: Step, before: number | null): number =>
  before !== null && stepOf(before) === step ? before : (WRITTEN[step - 1] ?? 0);
