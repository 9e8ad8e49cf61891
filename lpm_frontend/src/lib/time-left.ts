/** How long something will take still, from how far it came while one looked on. */

export interface Sight {
  readonly at: number;
  readonly share: number;
}

const LOOKED_ON_MS = 3_000;
const MOVED = 0.02;

/**
 * Milliseconds until it is done, or `null` while that would be a guess: after a few seconds and a
 * visible move only.
 *
 * `first` is when it was first seen, and how far it was then.
 */
export function timeLeft(first: Sight | undefined, now: Sight): number | null {
  if (
    !first ||
    now.share >= 1 ||
    now.at - first.at < LOOKED_ON_MS ||
    now.share - first.share < MOVED
  )
    return null;
  return ((now.at - first.at) * (1 - now.share)) / (now.share - first.share);
}
