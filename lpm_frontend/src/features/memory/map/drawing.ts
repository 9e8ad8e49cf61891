/**
 * The map on the screen: nodes and edges by the graphics card, washes and labels on canvases below
 * and above them. Knows nothing of React.
 */
import UndirectedGraph from "graphology";
import Sigma from "sigma";
import type { Graph } from "@/lib/api/types";
import { frameOf, groupsOf } from "./groups";
import { Pace } from "./pace";
import { Painting, type Scene } from "./painting";
import { mixed, palette, pigmentsOf, type Palette } from "./pigments";
import { linesUnless, shapesOn, type EdgeLook, type NodeLook } from "./shapes";
import { IN_MEMORY, still } from "./sketch";
import { holdsIn, towards, type Direction } from "./walk";

type Node = Graph["nodes"][number];

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
/** How far towards the paper a thing goes that did not hold then. */
const FADED = 0.82;
/**
 * Edges that are kept while the map moves in outline: the strongest, enough to know where one is.
 */
const MOST_LINES = 400;
const MOVE_MS = 220;
/** Layers of sigma's that nothing is ever drawn on here. */
const UNUSED = ["edgeLabels", "labels", "hovers", "hoverNodes"] as const;

export class Drawing {
  private readonly graph = new UndirectedGraph<NodeLook, EdgeLook>({ type: "undirected" });
  private readonly sigma: Sigma<NodeLook, EdgeLook>;
  private readonly colours: Palette = palette();
  private readonly nodes: ReadonlyMap<string, Node>;
  /** The most named first. */
  private readonly ranked: readonly Node[];
  private readonly painting: Painting | null;
  private readonly pace: Pace;
  private hovered = "";

  constructor(
    private readonly box: HTMLElement,
    data: Graph,
    private look: Look,
    slow: boolean,
    told: Told,
  ) {
    this.nodes = new Map(data.nodes.map((node) => [node.id, node]));
    const pigments = pigmentsOf(data.communities);
    const most = Math.max(1, ...data.nodes.map((node) => node.size));
    for (const { id, x, y, size, kind, community } of data.nodes) {
      const color = this.colours.of[pigments.get(community ?? "") ?? "ink-3"];
      this.graph.addNode(id, {
        x,
        y,
        size: SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(size / most),
        color,
        kind,
        type: "shape",
      });
    }
    const heaviest = Math.max(1, ...data.edges.map((edge) => edge.weight));
    for (const { source, target, weight } of data.edges) {
      if (source !== target && this.graph.hasNode(source) && this.graph.hasNode(target))
        this.graph.mergeEdge(source, target, {
          size: 0.5 + Math.sqrt(weight / heaviest),
          color: this.colours.line,
        });
    }
    this.ranked = data.nodes.toSorted((a, b) => b.size - a.size);
    this.pace = new Pace(slow, () => this.sigma.scheduleRender());
    const hurried = (): boolean => this.pace.hurried;
    const below = this.layer("map-below");
    this.sigma = new Sigma<NodeLook, EdgeLook>(this.graph, box, {
      nodeProgramClasses: { shape: shapesOn(this.colours.paper, hurried) },
      edgeProgramClasses: { line: linesUnless(hurried) },
      defaultNodeType: "shape",
      renderLabels: false,
      defaultDrawNodeHover: () => undefined,
      stagePadding: 46,
      zIndex: true,
      minCameraRatio: 0.05,
      maxCameraRatio: 2,
      enableCameraRotation: false,
      ...(this.still()
        ? { inertiaDuration: 0, zoomDuration: 1, doubleClickZoomingDuration: 1 }
        : {}),
      nodeReducer: (id, node) => this.nodeLook(id, node),
      edgeReducer: (id, edge) => this.edgeLook(id, edge),
    });
    this.sigma.setCustomBBox(frameOf(data));
    const { mouse, ...canvases } = this.sigma.getCanvases();
    mouse?.classList.add("map-hand");
    for (const name of UNUSED) canvases[name]?.classList.add("map-unused");
    const above = this.layer("map-above");
    const outline = this.layer("map-outline");
    this.painting =
      below &&
      above &&
      outline &&
      new Painting(
        { below, above, outline },
        this.colours,
        groupsOf(data, this.colours),
        this.ranked,
        this.strongest(data.edges),
      );
    this.sigma.getCamera().on("updated", () => this.pace.moves());
    this.sigma.on("afterRender", () => this.paint());
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
    const spot = (id: string) => ({
      id,
      x: this.graph.getNodeAttribute(id, "x"),
      y: this.graph.getNodeAttribute(id, "y"),
    });
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
    this.move(
      how === "all"
        ? { x: 0.5, y: 0.5, ratio: 1, angle: 0 }
        : { ratio: camera.getBoundedRatio(camera.ratio * (how === "in" ? 1 / 1.5 : 1.5)) },
    );
  }

  kill(): void {
    this.pace.kill();
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

  private layer(name: string): CanvasRenderingContext2D | null {
    const canvas = document.createElement("canvas");
    canvas.className = `map-layer ${name}`;
    this.box.append(canvas);
    return canvas.getContext("2d", IN_MEMORY);
  }

  private strongest(edges: Graph["edges"]): readonly (readonly [Node, Node])[] {
    return edges
      .toSorted((a, b) => b.weight - a.weight)
      .slice(0, MOST_LINES)
      .flatMap(({ source, target }) => {
        const [one, other] = [this.nodes.get(source), this.nodes.get(target)];
        return one && other ? [[one, other] as const] : [];
      });
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
    return {
      ...node,
      color: held ? node.color : mixed(node.color, this.colours.paper, FADED),
      zIndex: id === this.look.chosen ? 2 : held ? 1 : 0,
    };
  }

  private edgeLook(id: string, edge: EdgeLook): EdgeLook & { zIndex: number } {
    const [a, b] = this.graph.extremities(id);
    const near = [this.look.chosen, this.look.at].some(
      (each) => each !== "" && (each === a || each === b),
    );
    const held = this.holds(a) && this.holds(b);
    if (near)
      return {
        size: Math.max(1.4, edge.size),
        color: held ? this.colours.chosen : mixed(this.colours.chosen, this.colours.paper, FADED),
        zIndex: 1,
      };
    return {
      ...edge,
      color: held ? edge.color : mixed(edge.color, this.colours.paper, FADED),
      zIndex: 0,
    };
  }

  private paint(): void {
    this.box.classList.toggle("hurried", this.pace.hurried);
    const ringed = this.known([this.look.chosen, this.look.at]);
    const scene: Scene = {
      view: {
        ...this.sigma.getDimensions(),
        place: still((spot) => this.sigma.graphToViewport(spot)),
        radius: (size) => this.sigma.scaleSize(size),
      },
      dot: (node) => {
        const shown = this.sigma.getNodeDisplayData(node.id);
        return shown
          ? { x: node.x, y: node.y, kind: node.kind, size: shown.size, color: shown.color }
          : null;
      },
      ink: ({ id }) =>
        this.holds(id) ? this.colours.ink : mixed(this.colours.ink, this.colours.paper, FADED),
      ringed,
      first: this.known([this.look.chosen, this.look.at, this.hovered]),
    };
    if (this.pace.hurried) this.painting?.outline(scene);
    else this.painting?.whole(scene);
  }

  private known(ids: readonly string[]): readonly Node[] {
    return [...new Set(ids)].flatMap((id) => this.nodes.get(id) ?? []);
  }
}
