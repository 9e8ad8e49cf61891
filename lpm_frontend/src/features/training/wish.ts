/** What is written into the form of a training, and what is asked for by it. */
import type { Training, TrainingWish } from "@/lib/api/types";

/** In the order in which a person may want to change them. */
export const SETTINGS = [
  "epochs",
  "steps",
  "recent_days",
  "older",
  "questions",
  "notes",
  "enhance",
  "critic",
  "diversity",
  "discretion",
  "unknown",
  "general",
  "pairs",
  "beta",
  "preference_rate",
  "preference_epochs",
  "preference_batch",
  "strength",
  "rank",
  "alpha",
  "dropout",
  "learning_rate",
  "warmup_steps",
  "batch",
  "micro_batch_size",
  "checkpoint_every",
  "patience",
  "threads",
  "seed",
] as const;
type Setting = (typeof SETTINGS)[number];

/** Settings that are one of a few. */
export const CHOICES = {
  dpo: [false, true],
  on_policy: [false, true],
  wording: ["templates", "model", "endpoint"],
  reasoning: ["none", "weak", "multi", "strong"],
  thoughts: ["rules", "model"],
  precision: ["auto", "float32", "bfloat16"],
  device: ["auto", "cpu", "cuda", "mps"],
} as const;
export type Choices = {
  readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number];
};
/** No field shows them; a training that is learned again keeps them. */
const UNSHOWN = ["exam_questions", "preference_loss"] as const;

/** The settings of a training, as the node tells them. */
export type Settings = Readonly<Record<string, unknown>>;
/** What was written into the fields, and chosen; what is not there stays at its default. */
export type Written = Readonly<Partial<Record<Setting, string>>> & Partial<Choices>;
/** Every setting of the form; a number is `null` where the node finds it itself. */
export type Wanted = Readonly<Record<Setting, number | null>> & Choices;

const THOUSANDS = /^[1-9]\d{0,2}(?:,\d{3})+$/u;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu;

/**
 * A number as people write it, with a point or a decimal comma, in figures of any width. `null`
 * where it is none, or may be two: “10,000” is ten to some.
 */
export function numberOf(words: string): number | null {
  const plain = words.normalize("NFKC").trim();
  const pointed = plain.replace(",", ".");
  if (THOUSANDS.test(plain) || !NUMBER.test(pointed)) return null;
  const value = Number(pointed);
  return Number.isFinite(value) ? value : null;
}

const isFilled = (written: Written, name: Setting): boolean => (written[name] ?? "").trim() !== "";

/** The fields in which something stands that is no number. */
export const notNumbers = (written: Written): readonly Setting[] =>
  SETTINGS.filter((name) => isFilled(written, name) && numberOf(written[name] ?? "") === null);

/** The settings of an earlier training as they are written into the form. */
export function writtenOf(before: Settings, defaults: Settings): Written {
  const numbers = SETTINGS.flatMap((name) => {
    const value = before[name];
    return typeof value === "number" && value !== defaults[name]
      ? [[name, String(value)] as const]
      : [];
  });
  const chosen = Object.entries(CHOICES).flatMap(([name, values]) =>
    values.filter((value) => value === before[name]).map((value) => [name, value] as const),
  );
  return Object.fromEntries<string | boolean>([...numbers, ...chosen]);
}

/** What a form says of every setting. */
export const wantedOf = (written: Written, defaults: Settings): Wanted =>
  ({
    ...Object.fromEntries(
      SETTINGS.map((name) => [name, numberOf(written[name] ?? "") ?? defaults[name] ?? null]),
    ),
    ...Object.fromEntries(
      Object.entries(CHOICES).map(([name, [usual]]) => [
        name,
        written[name as keyof Choices] ?? defaults[name] ?? usual,
      ]),
    ),
  }) as Wanted;

/** The settings in which a form differs from others. */
export const changedIn = (wanted: Wanted, from: Settings): readonly string[] =>
  Object.entries(wanted).flatMap(([name, value]) => (value === (from[name] ?? null) ? [] : [name]));

const picked = (values: Settings, names: readonly string[]): Settings =>
  Object.fromEntries(names.flatMap((name) => (values[name] == null ? [] : [[name, values[name]]])));

/**
 * What is asked for: all that differs from the defaults or, where a training is learned again, from
 * its settings. That a number is taken away cannot be said beside those, so all is said then.
 */
export function wishOf(
  written: Written,
  defaults: Settings,
  again?: Pick<Training, "id" | "settings">,
): TrainingWish {
  const wanted = wantedOf(written, defaults);
  const besides = (from: Settings): Settings => picked(wanted, changedIn(wanted, from));
  if (again === undefined) return besides(defaults);
  const before = { ...defaults, ...again.settings };
  const isTakenAway = SETTINGS.some((name) => wanted[name] === null && before[name] != null);
  return isTakenAway
    ? { ...picked(before, UNSHOWN), ...besides(defaults) }
    : { again: again.id, ...besides(before) };
}
