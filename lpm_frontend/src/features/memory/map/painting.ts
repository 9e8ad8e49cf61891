/**
 * What is drawn by hand: washes below the nodes, rings and names above them; and the outline of the
 * map that stands in for it while it moves.
 */
import type { Graph } from "@/lib/api/types";
import type { Group } from "./groups";
import { Lettering } from "./lettering";
import { thin, type Palette } from "./pigments";
import { slid, Sketch, wider, type Dot, type View } from "./sketch";

type Node = Graph["nodes"][number];

const MOST_LABELS = 70;
const MOST_LOOKED_AT = 400;
const WASH = 0.08;
/** In outline there are no more points than this to a pixel of the screen. */
const OUTLINE_RATIO = 1.5;
/** So much of the box is drawn beyond each of its sides, to be slid into sight. */
const BEYOND = 0.3;
/** Slid farther than this from its own measure, it is drawn anew. */
const SMALLEST_SCALE = 0.63;
const LARGEST_SCALE = 1.8;

/** The map as it is to be drawn now. */
export interface Scene {
  readonly view: View;
  /** How a node looks. */
  readonly dot: (node: Node) => Dot | null;
  /** The colour of its name. */
  readonly ink: (node: Node) => string;
  /** Whose page is open and where the keys are: they have a ring. */
  readonly ringed: readonly Node[];
  /** Named before all others, whatever is in the way: those with a ring, and what is pointed at. */
  readonly first: readonly Node[];
}

export interface Canvases {
  readonly below: CanvasRenderingContext2D;
  readonly above: CanvasRenderingContext2D;
  readonly outline: CanvasRenderingContext2D;
}

export class Painting {
  private readonly lettering: Readonly<Record<"above" | "outline", Lettering>>;
  private readonly sketch: Sketch;
  /**
   * The names that stood when the map was last at rest: in outline they have the room before
   * others.
   */
  private standing: readonly Node[] = [];
  /** What the outline was drawn for. */
  private drawn: View | null = null;

  constructor(
    private readonly on: Canvases,
    private readonly colours: Palette,
    private readonly groups: readonly Group[],
    /** The most named first: they are labelled first. */
    private readonly ranked: readonly Node[],
    /** The edges that are kept in outline. */
    private readonly strongest: readonly (readonly [Node, Node])[],
  ) {
    const lettering = (context: CanvasRenderingContext2D): Lettering =>
      new Lettering(context, colours.paper, colours.sans);
    this.lettering = { above: lettering(on.above), outline: lettering(on.outline) };
    this.sketch = new Sketch(colours.paper);
  }

  /** What lies below and above the nodes that the graphics card draws. */
  whole(scene: Scene): void {
    this.drawn = null;
    for (const context of [this.on.below, this.on.above])
      clean(context, scene.view, window.devicePixelRatio || 1);
    this.standing = this.names("above", scene, this.ranked.slice(0, MOST_LOOKED_AT));
    this.washes(this.on.below, scene.view);
  }

  /**
   * All of it in outline, larger than the box: drawn once and then slid about, which costs a
   * fraction of drawing it in every frame.
   */
  outline(scene: Scene): void {
    const { width, height } = scene.view;
    const beyond = Math.round(BEYOND * Math.max(width, height));
    if (!this.drawn || !covers(slid(this.drawn, scene.view), scene.view, beyond)) {
      this.draw({ ...scene, view: wider(scene.view, beyond) });
      this.drawn = scene.view;
    }
    const { scale, x, y } = slid(this.drawn, scene.view);
    this.on.outline.canvas.style.transform = `translate(${x - scale * beyond}px, ${y - scale * beyond}px) scale(${scale})`;
  }

  private draw(scene: Scene): void {
    const { outline } = this.on;
    const { view, dot } = scene;
    const ratio = Math.min(window.devicePixelRatio || 1, OUTLINE_RATIO);
    clean(outline, view, ratio);
    this.sketch.lines(outline, view, this.strongest, this.colours.line);
    this.sketch.dots(
      outline,
      view,
      this.ranked.toReversed().flatMap((node) => dot(node) ?? []),
      ratio,
    );
    this.names("outline", scene, [...this.standing, ...this.ranked.slice(0, MOST_LOOKED_AT)]);
    outline.globalCompositeOperation = "destination-over";
    this.washes(outline, view);
    outline.globalCompositeOperation = "source-over";
  }

  /** The larger communities as discs, in pixels. */
  private *discs({
    place,
    width,
    height,
  }: View): Generator<{ title: string; colour: string; x: number; y: number; radius: number }> {
    for (const { title, colour, x, y, reach } of this.groups) {
      const middle = place({ x, y });
      const rim = place({ x: x + reach, y });
      const radius = Math.hypot(rim.x - middle.x, rim.y - middle.y) + 34;
      const seen =
        middle.x + radius > 0 &&
        middle.y + radius > 0 &&
        middle.x - radius < width &&
        middle.y - radius < height;
      if (seen) yield { title, colour, ...middle, radius };
    }
  }

  private washes(context: CanvasRenderingContext2D, view: View): void {
    for (const { colour, x, y, radius } of this.discs(view)) {
      const wash = context.createRadialGradient(x, y, 0, x, y, radius);
      wash.addColorStop(0, thin(colour, WASH));
      wash.addColorStop(0.72, thin(colour, WASH));
      wash.addColorStop(1, thin(colour, 0));
      context.fillStyle = wash;
      context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    }
  }

  /**
   * Names below their nodes, as long as none meets another, and those of communities above them;
   * gives back whose were written.
   */
  private names(
    where: "above" | "outline",
    { view, dot, ink, first, ringed }: Scene,
    others: readonly Node[],
  ): readonly Node[] {
    const lettering = this.lettering[where];
    lettering.begin(view.width);
    const written: Node[] = [];
    for (const [at, node] of [...new Set([...first, ...others])].entries()) {
      if (written.length >= MOST_LABELS) break;
      const look = dot(node);
      if (!look) continue;
      const { x, y } = view.place(look);
      if (x < -40 || y < -20 || x > view.width + 40 || y > view.height + 20) continue;
      const radius = view.radius(look.size);
      if (ringed.includes(node)) this.ring(where, x, y, radius + 5);
      const forced = at < first.length;
      const size = forced ? 14 : Math.round(Math.min(15, 11 + radius / 4));
      if (
        lettering.write(node.name, x, y + radius + size, {
          size,
          weight: forced ? 500 : 400,
          colour: ink(node),
          forced,
        })
      )
        written.push(node);
    }
    for (const { title, colour, x, y, radius } of this.discs(view))
      lettering.write(title, x, y - radius + 22, { size: 12, weight: 500, colour });
    return written;
  }

  private ring(where: "above" | "outline", x: number, y: number, radius: number): void {
    const context = this.on[where];
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.lineWidth = 1.6;
    context.strokeStyle = this.colours.chosen;
    context.stroke();
  }
}

/** Whether what was drawn still fills the box, and is near enough to its own measure. */
function covers(
  { scale, x, y }: ReturnType<typeof slid>,
  { width, height }: View,
  beyond: number,
): boolean {
  const near = scale >= SMALLEST_SCALE && scale <= LARGEST_SCALE;
  const [left, top] = [x - scale * beyond, y - scale * beyond];
  return (
    near &&
    left <= 0 &&
    top <= 0 &&
    left + scale * (width + 2 * beyond) >= width &&
    top + scale * (height + 2 * beyond) >= height
  );
}

/** An empty canvas as large as the box, so many points to a pixel. */
function clean(context: CanvasRenderingContext2D, { width, height }: View, ratio: number): void {
  const { canvas } = context;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) {
    [canvas.width, canvas.height] = [across, down];
    [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
}
