/** Walking along the edges of the map with the arrow keys. */

export interface Spot {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}
export type Direction = "up" | "down" | "left" | "right";
const AHEAD: Readonly<Record<Direction, readonly [number, number]>> = {
  up: [0, 1],
  down: [0, -1],
  left: [-1, 0],
  right: [1, 0],
};

/**
 * The neighbour that lies most in a direction, near ones before far ones; nothing where none does.
 * `y` grows upward.
 */
export function towards(
  direction: Direction,
  from: Spot,
  neighbours: readonly Spot[],
): Spot | null {
  const [ahead, up] = AHEAD[direction];
  let best: Spot | null = null;
  let most = 0;
  for (const each of neighbours) {
    const [x, y] = [each.x - from.x, each.y - from.y];
    const way = Math.hypot(x, y);
    const along = way === 0 ? 0 : (x * ahead + y * up) / way;
    // Within 75 degrees of where the key points.
    const worth = along < 0.26 ? 0 : (along * along) / Math.sqrt(way);
    if (worth > most) [best, most] = [each, worth];
  }
  return best;
}

/**
 * Whether something that was named from `first` to `last` holds in the years that are looked at;
 * what has no date always does.
 */
export const holdsIn = (
  first: string | null,
  last: string | null,
  from: number,
  to: number,
): boolean =>
  (first === null || new Date(first).getFullYear() <= to) &&
  (last === null || new Date(last).getFullYear() >= from);
