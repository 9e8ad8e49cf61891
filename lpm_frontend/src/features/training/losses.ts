/** Where the points of a loss curve stand, and which steps its table names. */
import type { LossStep } from "@/lib/api/types";

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Drawn {
  /** The highest value that is drawn. */
  readonly top: number;
  /** The values at which a line is drawn. */
  readonly lines: readonly number[];
  readonly reads: string;
  readonly kept: string;
  readonly dots: readonly Point[];
}

const LINES = 3;
/** Rows of the table, at most; those that measured what was kept back are always among them. */
const MOST_ROWS = 40;

const path = (points: readonly Point[]): string =>
  points.map(({ x, y }, at) => `${at === 0 ? "M" : "L"}${x.toFixed(2)} ${y.toFixed(2)}`).join(" ");

/** In hundredths of the picture: steps to the right as far as `of`, loss upwards from nothing. */
export function drawn(steps: readonly LossStep[], of: number): Drawn {
  const values = steps.flatMap(({ loss, held_out: kept }) =>
    [loss, kept].filter((value) => value !== null),
  );
  const highest = Math.max(0, ...values);
  const unit = 10 ** Math.floor(Math.log10(highest || 1));
  const each =
    [0.1, 0.2, 0.5, 1, 2, 5].map((part) => part * unit).find((part) => part * LINES >= highest) ??
    unit * 5;
  const top = each * LINES;
  const at = (step: number, value: number): Point => ({
    x: (100 * step) / Math.max(1, of),
    y: 100 * (1 - value / top),
  });
  const reads = steps.flatMap(({ step, loss }) => (loss === null ? [] : [at(step, loss)]));
  const kept = steps.flatMap(({ step, held_out: value }) =>
    value === null ? [] : [at(step, value)],
  );
  return {
    top,
    lines: Array.from({ length: LINES }, (_, line) => each * (line + 1)),
    reads: path(reads),
    kept: path(kept),
    dots: kept,
  };
}

/**
 * The steps for the table: all of a short training, of a long one some, evenly, and every one at
 * which the rows kept back were asked.
 */
export function tabled(steps: readonly LossStep[]): readonly LossStep[] {
  const every = Math.ceil(steps.length / MOST_ROWS);
  return steps.filter(
    ({ held_out: kept }, at) => kept !== null || at % every === 0 || at === steps.length - 1,
  );
}
