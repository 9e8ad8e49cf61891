"use client";
import type { OpinionPoint } from "@/lib/api/types";
import { formatDate, useLanguage, useText } from "@/lib/i18n";

/** Steps at which a line is drawn, and the word beside it. */
const LINES = [0.88, 0.7, 0.4] as const;
const WORDS: Readonly<Record<number, 4 | 3 | 1>> = { 0.88: 4, 0.7: 3, 0.4: 1 };
/** A view that was said once is drawn as a line over so much of time. */
const LEAST_MS = 86_400_000;

interface Placed {
  readonly x: number;
  readonly y: number;
}

/** Where the points stand, in hundredths; the line ends at `now`. */
export function placed(
  points: readonly OpinionPoint[],
  now: number,
): { readonly dots: readonly Placed[]; readonly path: string } {
  const times = points.map((point) => Date.parse(point.at));
  const first = times[0] ?? now;
  const last = Math.max(now, times.at(-1) ?? now, first + LEAST_MS);
  const dots = points.map((point, at) => ({
    x: (100 * ((times[at] ?? first) - first)) / (last - first),
    y: 100 * (1 - point.confidence),
  }));
  const steps = dots.flatMap((dot, at) =>
    at === 0
      ? [`M${dot.x.toFixed(2)} ${dot.y.toFixed(2)}`]
      : [`H${dot.x.toFixed(2)}`, `V${dot.y.toFixed(2)}`],
  );
  return { dots, path: steps.length === 0 ? "" : [...steps, "H100"].join(" ") };
}

/**
 * How sure, over time: a step for each thing said; filled for it, hollow against it, a square for
 * one's own word. The table below says the same.
 */
export function Curve({
  points,
  label,
  now,
}: {
  points: readonly OpinionPoint[];
  label: string;
  now: number;
}) {
  const text = useText();
  const language = useLanguage();
  const { dots, path } = placed(points, now);
  const first = points[0];
  return (
    <figure className="curve" aria-label={label}>
      <div className="curve-box">
        {LINES.map((line) => (
          <span key={line} className="curve-line" style={{ top: `${String(100 * (1 - line))}%` }}>
            <span className="tiny faint">{text.sure.steps[WORDS[line] ?? 1]}</span>
          </span>
        ))}
        <svg
          className="curve-area"
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path className="curve-fill" d={`${path} V100 H0 Z`} />
          <path className="curve-stroke" d={path} />
        </svg>
        <span className="curve-dots" aria-hidden="true">
          {dots.map((dot, at) => (
            <i
              key={`${String(dot.x)} ${String(at)}`}
              className={points[at]?.stance ?? "own"}
              style={{ left: `${String(dot.x)}%`, top: `${String(dot.y)}%` }}
            />
          ))}
        </span>
      </div>
      <p className="curve-ends tiny faint num" aria-hidden="true">
        <span>{first ? formatDate(first.at, language) : ""}</span>
        <span>{formatDate(new Date(now).toISOString(), language)}</span>
      </p>
    </figure>
  );
}

/** The same, as small as a word. */
export function Spark({ points, now }: { points: readonly OpinionPoint[]; now: number }) {
  return (
    <svg className="spark" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path className="curve-stroke" d={placed(points, now).path} />
    </svg>
  );
}
