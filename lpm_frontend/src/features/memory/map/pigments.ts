/**
 * The colours of the map, as the stylesheet has them now: light and dark stand in the tokens and
 * nowhere else.
 */
import type { Graph } from "@/lib/api/types";

/** Pigments of communities, the largest first; smaller ones share the last. */
export const PIGMENTS = ["ink-2", "ai", "koke", "kihada", "shu"] as const;
const OTHERS = "ink-3";
export type Pigment = (typeof PIGMENTS)[number] | typeof OTHERS;

export interface Palette {
  readonly of: Readonly<Record<Pigment, string>>;
  readonly paper: string;
  readonly line: string;
  readonly ink: string;
  readonly faint: string;
  readonly chosen: string;
  readonly sans: string;
}

/** Read them off the page. */
export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    of: {
      "ink-2": token("ink-2"),
      ai: token("ai"),
      koke: token("koke"),
      kihada: token("kihada"),
      shu: token("shu"),
      "ink-3": token("ink-3"),
    },
    paper: token("paper"),
    line: token("line-2"),
    ink: token("ink"),
    faint: token("ink-3"),
    chosen: token("shu"),
    sans: token("sans"),
  };
}

/** Which community has which pigment. */
export const pigmentsOf = (communities: Graph["communities"]): ReadonlyMap<string, Pigment> =>
  new Map(
    communities
      .toSorted((a, b) => b.size - a.size || a.id.localeCompare(b.id))
      .map(({ id }, at) => [id, PIGMENTS[at] ?? OTHERS]),
  );

const channels = (colour: string): readonly number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** So much of the way from one colour to another, both as `#rrggbb`. */
export const mixed = (from: string, to: string, share: number): string => {
  const [a, b] = [channels(from), channels(to)];
  return `#${a
    .map((value, at) =>
      Math.round(value + ((b[at] ?? value) - value) * share)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
};

/** A colour that lets so much of the ground through. */
export const thin = (colour: string, opacity: number): string =>
  `${colour}${Math.round(opacity * 255)
    .toString(16)
    .padStart(2, "0")}`;

/** As WebGL takes it, 0 to 1. */
export const inShares = (colour: string): readonly [number, number, number] => {
  const [r = 0, g = 0, b = 0] = channels(colour);
  return [r / 255, g / 255, b / 255];
};
