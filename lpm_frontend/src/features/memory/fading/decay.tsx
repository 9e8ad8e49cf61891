import type { Memory } from "@/lib/api/types";

/** Days of one unit of strength, and what is held less than `FADED` fades: as the node has it. */
const UNIT_MS = 60 * 86_400_000;
const FADED = 0.2;
const POINTS = 24;

/**
 * The way of the curve, in hundredths, from the last use to `now`: how strongly it was held on each
 * day.
 */
export function decayPath(
  { noted_at: noted, last_used: last, uses }: Pick<Memory, "noted_at" | "last_used" | "uses">,
  now: number,
): string {
  const since = Date.parse(last ?? noted);
  const span = Math.max(1, now - since);
  const lasts = UNIT_MS * (1 + uses);
  return Array.from({ length: POINTS + 1 }, (_, at) => {
    const x = (100 * at) / POINTS;
    const y = 100 * (1 - Math.exp((-span * at) / POINTS / lasts));
    return `${at === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
  }).join(" ");
}

/** How a memory faded since it was used last, with the line below which it counts as fading. */
export function Decay({ memory, now, label }: { memory: Memory; now: number; label: string }) {
  const faded = 100 * (1 - FADED);
  return (
    <svg
      className="decay"
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path className="decay-line" d={`M0 ${String(faded)} H100`} />
      <path className="curve-stroke" d={decayPath(memory, now)} />
    </svg>
  );
}
