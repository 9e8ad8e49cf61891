/** The map on the screen: nodes and edges by the graphics card, washes and labels on canvases below and above them. Knows nothing of React. */
import UndirectedGraph from "graphology";
import Sigma from "sigma";
import type { Graph } from "@/lib/api/types";
import { mixed, palette, pigmentsOf, thin, type Palette } from "./pigments";
import { shapesOn, type EdgeLook, type NodeLook } from "./shapes";
import { holdsIn, towards, type Direction } from "./walk";

/** What is shown of it. */
export interface Look {
  /** Whose page is open. */
  readonly chosen: string;
  /** Where the keys are. */
  readonly at: string;
  readonly from: number;
  readonly to: number;
}

export interface Told {
  readonly onChoose: (slug: string) => void;
  readonly onCentre: (slug: string) => void;
}

const SMALLEST = 2.5;
const LARGEST = 11;
const MOST_LABELS = 70;
const MOST_LOOKED_AT = 400;
/** Washes and names of the largest groups: those of small ones are not seen, and each costs time in every frame. */
const MOST_GROUPS = 12;
const WASH = 0.08;
/** How far towards the paper a thing goes that did not hold then. */
const FADED = 0.82;
/** Edges beyond which they are left out while the map moves. */
const HEAVY = 2_000;
const MOVE_MS = 220;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}
const meet = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** What is in sight at first: what is named beside something, without the farthest few, who would leave the rest no room. */
function frame({ nodes, edges }: Graph): { x: [number, number]; y: [number, number] } {
  const joined = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const seen = nodes.filter(({ id }) => joined.has(id));
  const side = (of: (node: Graph["nodes"][number]) => number): [number, number] => {
    const sorted = (seen.length > 2 ? seen : nodes).map(of).toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.round((sorted.length - 1) * share)] ?? 0;
    return [at(0.04), Math.max(at(0.96), at(0.04) + 0.02)];
  };
  return { x: side(({ x }) => x), y: side(({ y }) => y) };
}

/** Where a community lies, in the measure of the map. */
interface Group {
  readonly title: string;
  readonly colour: string;
  readonly x: number;
  readonly y: number;
  readonly reach: number;
}

/** The largest communities, each with its middle and how far most of it lies from there. */
function groupsOf({ nodes, communities }: Graph, colours: Palette): Group[] {
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
      const away = spots.map((spot) => Math.hypot(spot.x - x, spot.y - y)).toSorted((a, b) => a - b);
      return [{ title, colour: colours.of[pigments.get(id) ?? "ink-3"], x, y, reach: (away[Math.floor(away.length * 0.6)] ?? 0) * 1.4 }];
    });
}

export class Drawing {
  private readonly graph = new UndirectedGraph<NodeLook, EdgeLook>({ type: "undirected" });
  private readonly sigma: Sigma<NodeLook, EdgeLook>;
  private readonly colours: Palette = palette();
  private readonly washes: CanvasRenderingContext2D | null;
  private readonly labels: CanvasRenderingContext2D | null;
  private readonly nodes: ReadonlyMap<string, Graph["nodes"][number]>;
  /** The most named first: they are labelled first. */
  private readonly ranked: Graph["nodes"];
  private readonly groups: readonly Group[];
  private readonly widths = new Map<string, number>();
  private hovered = "";

  constructor(
    private readonly box: HTMLElement,
    data: Graph,
    private look: Look,
    told: Told,
  ) {
    this.nodes = new Map(data.nodes.map((node) => [node.id, node]));
    const pigments = pigmentsOf(data.communities);
    const most = Math.max(1, ...data.nodes.map((node) => node.size));
    for (const { id, x, y, size, kind, community } of data.nodes) {
      const color = this.colours.of[pigments.get(community ?? "") ?? "ink-3"];
      this.graph.addNode(id, { x, y, size: SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(size / most), color, kind, type: "shape" });
    }
    const heaviest = Math.max(1, ...data.edges.map((edge) => edge.weight));
    for (const { source, target, weight } of data.edges) {
      if (source !== target && this.graph.hasNode(source) && this.graph.hasNode(target)) this.graph.mergeEdge(source, target, { size: 0.5 + Math.sqrt(weight / heaviest), color: this.colours.line });
    }
    this.ranked = data.nodes.toSorted((a, b) => b.size - a.size);
    this.groups = groupsOf(data, this.colours);
    const washes = this.layer("map-layer");
    this.sigma = new Sigma<NodeLook, EdgeLook>(this.graph, box, {
      nodeProgramClasses: { shape: shapesOn(this.colours.paper) },
      defaultNodeType: "shape",
      renderLabels: false,
      defaultDrawNodeHover: () => undefined,
      stagePadding: 46,
      zIndex: true,
      minCameraRatio: 0.05,
      maxCameraRatio: 2,
      hideEdgesOnMove: data.edges.length > HEAVY,
      ...(this.still() ? { inertiaDuration: 0, zoomDuration: 1, doubleClickZoomingDuration: 1 } : {}),
      nodeReducer: (id, node) => this.nodeLook(id, node),
      edgeReducer: (id, edge) => this.edgeLook(id, edge),
    });
    this.sigma.setCustomBBox(frame(data));
    const labels = this.layer("map-layer");
    this.washes = washes.getContext("2d");
    this.labels = labels.getContext("2d");
    this.sigma.on("afterRender", () => this.paint(washes, labels));
    this.sigma.on("clickNode", ({ node }) => told.onChoose(node));
    this.sigma.on("doubleClickNode", (event) => {
      event.preventSigmaDefault();
      told.onCentre(event.node);
    });
    this.sigma.on("enterNode", ({ node }) => this.hover(node));
    this.sigma.on("leaveNode", () => this.hover(""));
    this.sigma.refresh();
  }

  /** Show it otherwise. */
  show(look: Look): void {
    this.look = look;
    this.sigma.refresh({ skipIndexation: true });
  }

  /** The neighbour of a node in the direction of a key. */
  step(from: string, direction: Direction): string {
    if (!this.graph.hasNode(from)) return this.ranked[0]?.id ?? "";
    const spot = (id: string) => ({ id, x: this.graph.getNodeAttribute(id, "x"), y: this.graph.getNodeAttribute(id, "y") });
    return towards(direction, spot(from), this.graph.neighbors(from).map(spot))?.id ?? from;
  }

  /** Bring a node into sight. */
  bring(id: string): void {
    const spot = this.sigma.getNodeDisplayData(id);
    if (!spot) return;
    const at = this.sigma.framedGraphToViewport(spot);
    const { width, height } = this.sigma.getDimensions();
    const inSight = at.x > 40 && at.y > 40 && at.x < width - 40 && at.y < height - 40;
    if (!inSight) this.move({ x: spot.x, y: spot.y });
  }

  /** Nearer, farther, or as it was at first. */
  zoom(how: "in" | "out" | "all"): void {
    const camera = this.sigma.getCamera();
    this.move(how === "all" ? { x: 0.5, y: 0.5, ratio: 1, angle: 0 } : { ratio: camera.getBoundedRatio(camera.ratio * (how === "in" ? 1 / 1.5 : 1.5)) });
  }

  kill(): void {
    this.sigma.kill();
    this.box.replaceChildren();
  }

  private move(state: { x?: number; y?: number; ratio?: number; angle?: number }): void {
    const camera = this.sigma.getCamera();
    if (this.still()) camera.setState({ ...camera.getState(), ...state });
    else void camera.animate(state, { duration: MOVE_MS });
  }

  private still(): boolean {
    return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  private layer(name: string): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.className = name;
    this.box.append(canvas);
    return canvas;
  }

  private hover(id: string): void {
    this.hovered = id;
    this.box.style.cursor = id === "" ? "" : "pointer";
    this.sigma.scheduleRender();
  }

  private holds(id: string): boolean {
    const node = this.nodes.get(id);
    return !node || holdsIn(node.first, node.last, this.look.from, this.look.to);
  }

  private nodeLook(id: string, node: NodeLook): Partial<NodeLook> & { zIndex: number } {
    const held = this.holds(id);
    return { ...node, color: held ? node.color : mixed(node.color, this.colours.paper, FADED), zIndex: id === this.look.chosen ? 2 : held ? 1 : 0 };
  }

  private edgeLook(id: string, edge: EdgeLook): EdgeLook & { zIndex: number } {
    const [a, b] = this.graph.extremities(id);
    const near = [this.look.chosen, this.look.at].some((each) => each !== "" && (each === a || each === b));
    const held = this.holds(a) && this.holds(b);
    if (near) return { size: Math.max(1.4, edge.size), color: held ? this.colours.chosen : mixed(this.colours.chosen, this.colours.paper, FADED), zIndex: 1 };
    return { ...edge, color: held ? edge.color : mixed(edge.color, this.colours.paper, FADED), zIndex: 0 };
  }

  // --- what is drawn by hand -------------------------------------------------------------------

  private paint(washes: HTMLCanvasElement, labels: HTMLCanvasElement): void {
    const { width, height } = this.sigma.getDimensions();
    const ratio = window.devicePixelRatio || 1;
    for (const [canvas, context] of [[washes, this.washes], [labels, this.labels]] as const) {
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        canvas.style.width = `${width}px`;
        canvas.style.height = `${height}px`;
      }
      context?.setTransform(ratio, 0, 0, ratio, 0, 0);
      context?.clearRect(0, 0, width, height);
    }
    const taken: Box[] = [];
    this.paintLabels(taken, width, height);
    this.paintWashes(taken, width, height);
  }

  /** A wash behind each of the larger communities, and its name above it where there is room. */
  private paintWashes(taken: Box[], width: number, height: number): void {
    if (!this.washes) return;
    for (const { title, colour, x, y, reach } of this.groups) {
      const middle = this.sigma.graphToViewport({ x, y });
      const rim = this.sigma.graphToViewport({ x: x + reach, y });
      const radius = Math.hypot(rim.x - middle.x, rim.y - middle.y) + 34;
      if (middle.x + radius < 0 || middle.y + radius < 0 || middle.x - radius > width || middle.y - radius > height) continue;
      const wash = this.washes.createRadialGradient(middle.x, middle.y, 0, middle.x, middle.y, radius);
      wash.addColorStop(0, thin(colour, WASH));
      wash.addColorStop(0.72, thin(colour, WASH));
      wash.addColorStop(1, thin(colour, 0));
      this.washes.fillStyle = wash;
      this.washes.fillRect(middle.x - radius, middle.y - radius, 2 * radius, 2 * radius);
      this.write(title, middle.x, middle.y - radius + 22, { size: 12, weight: 500, colour, taken, forced: false });
    }
  }

  /** Names below their nodes, the most named first, as long as none meets another. */
  private paintLabels(taken: Box[], width: number, height: number): void {
    const first = [this.look.chosen, this.look.at, this.hovered].filter((id) => this.nodes.has(id));
    let written = 0;
    for (const [at, node] of [...first.map((id) => this.nodes.get(id)), ...this.ranked].entries()) {
      if (!node || written >= MOST_LABELS || at > MOST_LOOKED_AT) break;
      const shown = this.sigma.getNodeDisplayData(node.id);
      if (!shown) continue;
      const spot = this.sigma.framedGraphToViewport(shown);
      if (spot.x < -40 || spot.y < -20 || spot.x > width + 40 || spot.y > height + 20) continue;
      const forced = at < first.length;
      const radius = this.sigma.scaleSize(shown.size);
      if (node.id === this.look.chosen || node.id === this.look.at) this.ring(spot.x, spot.y, radius + 5);
      const size = forced ? 14 : Math.round(Math.min(15, 11 + radius / 4));
      const done = this.write(node.name, spot.x, spot.y + radius + size, { size, weight: forced ? 500 : 400, colour: this.holds(node.id) ? this.colours.ink : mixed(this.colours.ink, this.colours.paper, FADED), taken, forced });
      written += done ? 1 : 0;
    }
  }

  private ring(x: number, y: number, radius: number): void {
    if (!this.labels) return;
    this.labels.beginPath();
    this.labels.arc(x, y, radius, 0, 2 * Math.PI);
    this.labels.lineWidth = 1.6;
    this.labels.strokeStyle = this.colours.chosen;
    this.labels.stroke();
  }

  /** Measuring costs more than drawing: each name is measured once for each size. */
  private widthOf(context: CanvasRenderingContext2D, words: string): number {
    const key = `${context.font} ${words}`;
    const known = this.widths.get(key) ?? context.measureText(words).width;
    this.widths.set(key, known);
    return known;
  }

  private write(words: string, x: number, y: number, how: { size: number; weight: number; colour: string; taken: Box[]; forced: boolean }): boolean {
    const context = this.labels;
    if (!context) return false;
    context.font = `${how.weight} ${how.size}px ${this.colours.sans}`;
    const half = this.widthOf(context, words) / 2;
    const box = { left: x - half - 3, right: x + half + 3, top: y - how.size, bottom: y + 4 };
    if (how.taken.some((other) => meet(box, other)) && !how.forced) return false;
    how.taken.push(box);
    context.textAlign = "center";
    context.lineJoin = "round";
    context.lineWidth = 3.5;
    context.strokeStyle = this.colours.paper;
    context.strokeText(words, x, y);
    context.fillStyle = how.colour;
    context.fillText(words, x, y);
    return true;
  }
}
