/** Where communities lie on the map. */
import type { Graph } from "@/lib/api/types";
import { pigmentsOf, type Palette } from "./pigments";

/**
 * Washes and names of the largest groups: those of small ones are not seen, and each costs time in
 * every frame.
 */
const MOST_GROUPS = 12;

/** In the measure of the map. */
export interface Group {
  readonly title: string;
  readonly colour: string;
  readonly x: number;
  readonly y: number;
  readonly reach: number;
}

/** The largest communities, each with its middle and how far most of it lies from there. */
export function groupsOf(
  { nodes, communities }: Pick<Graph, "nodes" | "communities">,
  colours: Palette,
): readonly Group[] {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const pigments = pigmentsOf(communities);
  return communities
    .toSorted((a, b) => b.size - a.size)
    .slice(0, MOST_GROUPS)
    .flatMap(({ id, title, members }) => {
      const spots = members.flatMap((each) => known.get(each) ?? []);
      if (spots.length < 3) return [];
      const x = spots.reduce((sum, spot) => sum + spot.x, 0) / spots.length;
      const y = spots.reduce((sum, spot) => sum + spot.y, 0) / spots.length;
      const away = spots
        .map((spot) => Math.hypot(spot.x - x, spot.y - y))
        .toSorted((a, b) => a - b);
      return [
        {
          title,
          colour: colours.of[pigments.get(id) ?? "ink-3"],
          x,
          y,
          reach: (away[Math.floor(away.length * 0.6)] ?? 0) * 1.4,
        },
      ];
    });
}

/**
 * What is in sight at first: what is named beside something, without the farthest few, who would
 * leave the rest no room.
 */
export function frameOf({ nodes, edges }: Pick<Graph, "nodes" | "edges">): {
  x: [number, number];
  y: [number, number];
} {
  const joined = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const seen = nodes.filter(({ id }) => joined.has(id));
  const side = (of: (node: Graph["nodes"][number]) => number): [number, number] => {
    const sorted = (seen.length > 2 ? seen : nodes).map(of).toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.round((sorted.length - 1) * share)] ?? 0;
    return [at(0.04), Math.max(at(0.96), at(0.04) + 0.02)];
  };
  return { x: side(({ x }) => x), y: side(({ y }) => y) };
}
