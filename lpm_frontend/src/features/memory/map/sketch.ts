/**
 * Nodes and edges drawn without the graphics card: nodes as small pictures made once, edges as thin
 * lines.
 */
import type { EntityKind } from "@/lib/api/types";

interface Spot {
  readonly x: number;
  readonly y: number;
}
/** How the map lies in its box, at one moment. */
export interface View {
  /** From the measure of the map to pixels of the box. */
  readonly place: (spot: Spot) => Spot;
  /** The radius in pixels of a node of this size. */
  readonly radius: (size: number) => number;
  readonly width: number;
  readonly height: number;
}
export interface Dot extends Spot {
  readonly size: number;
  readonly color: string;
  readonly kind: EntityKind;
}

/**
 * The measure as it is now: a camera neither bends nor shears, so three places tell where every
 * other one is.
 */
export function still(place: (spot: Spot) => Spot): (spot: Spot) => Spot {
  const [o, right, up] = [place({ x: 0, y: 0 }), place({ x: 1, y: 0 }), place({ x: 0, y: 1 })];
  const [xx, xy, yx, yy] = [right.x - o.x, up.x - o.x, right.y - o.y, up.y - o.y];
  return ({ x, y }) => ({ x: o.x + x * xx + y * xy, y: o.y + x * yx + y * yy });
}

/** The same, with so much more on every side. */
export const wider = ({ place, radius, width, height }: View, more: number): View => ({
  place: (spot) => {
    const { x, y } = place(spot);
    return { x: x + more, y: y + more };
  },
  radius,
  width: width + 2 * more,
  height: height + 2 * more,
});

/**
 * What was drawn for one view, where another would have it: so many times as large, and so far
 * away. The camera does not turn.
 */
export function slid(
  from: View,
  to: View,
): { readonly scale: number; readonly x: number; readonly y: number } {
  const [a, b] = [from.place({ x: 0, y: 0 }), from.place({ x: 1, y: 0 })];
  const [c, d] = [to.place({ x: 0, y: 0 }), to.place({ x: 1, y: 0 })];
  const scale = (d.x - c.x) / (b.x - a.x);
  return { scale, x: c.x - scale * a.x, y: c.y - scale * a.y };
}

/** Kept in memory: where there is no graphics card, what one would do costs many times more. */
export const IN_MEMORY: CanvasRenderingContext2DSettings = { willReadFrequently: true };

type Path = (context: CanvasRenderingContext2D, radius: number) => void;
const disc: Path = (context, radius) => context.arc(0, 0, radius, 0, 2 * Math.PI);
const square: Path = (context, radius) =>
  context.rect(-radius / 1.2, -radius / 1.2, radius / 0.6, radius / 0.6);
const diamond: Path = (context, radius) => {
  context.moveTo(0, -radius);
  for (const [x, y] of [
    [radius, 0],
    [0, radius],
    [-radius, 0],
  ] as const)
    context.lineTo(x, y);
  context.closePath();
};
const PATHS: Readonly<Record<EntityKind, Path>> = {
  person: disc,
  place: disc,
  thing: square,
  idea: diamond,
  unknown: disc,
};
const HOLLOW: readonly EntityKind[] = ["place", "idea"];
const RIM = 1.8;

export class Sketch {
  private readonly stamps = new Map<string, HTMLCanvasElement>();

  constructor(private readonly paper: string) {}

  lines(
    context: CanvasRenderingContext2D,
    { place }: View,
    edges: Iterable<readonly [Spot, Spot]>,
    colour: string,
  ): void {
    context.beginPath();
    for (const [one, other] of edges) {
      const [from, to] = [place(one), place(other)];
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
    }
    context.lineWidth = 1;
    context.strokeStyle = colour;
    context.stroke();
  }

  /** The last is on top. */
  dots(
    context: CanvasRenderingContext2D,
    { place, radius, width, height }: View,
    dots: Iterable<Dot>,
    ratio: number,
  ): void {
    for (const dot of dots) {
      const { x, y } = place(dot);
      const reach = Math.max(1, Math.round(radius(dot.size) * 2) / 2);
      if (x < -reach || y < -reach || x > width + reach || y > height + reach) continue;
      const stamp = this.stamp(dot, reach, ratio);
      const side = stamp.width / ratio;
      context.drawImage(stamp, x - side / 2, y - side / 2, side, side);
    }
  }

  private stamp({ color, kind }: Dot, radius: number, ratio: number): HTMLCanvasElement {
    const key = `${kind} ${color} ${radius} ${ratio}`;
    const made = this.stamps.get(key) ?? this.cut(color, kind, radius, ratio);
    this.stamps.set(key, made);
    return made;
  }

  private cut(color: string, kind: EntityKind, radius: number, ratio: number): HTMLCanvasElement {
    const stamp = document.createElement("canvas");
    stamp.width = stamp.height = Math.ceil((2 * radius + 2) * ratio);
    const context = stamp.getContext("2d", IN_MEMORY);
    if (!context) return stamp;
    const hollow = HOLLOW.includes(kind);
    context.setTransform(ratio, 0, 0, ratio, stamp.width / 2, stamp.height / 2);
    context.beginPath();
    PATHS[kind](context, hollow ? radius - RIM / 2 : radius);
    context.fillStyle = hollow ? this.paper : color;
    context.fill();
    context.lineWidth = RIM;
    context.strokeStyle = color;
    if (hollow) context.stroke();
    return stamp;
  }
}
