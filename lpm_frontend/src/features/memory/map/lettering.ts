/** Words on a canvas, none over another: what is written first has the room. */

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}
const meet = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Nearer to the rim of the paper there is no word. */
const EDGE = 14;

export interface Hand {
  readonly size: number;
  readonly weight: 400 | 500;
  readonly colour: string;
  /** Written even where there is something. */
  readonly forced?: boolean;
}

export class Lettering {
  private readonly widths = new Map<string, number>();
  private taken: Box[] = [];
  private width = 0;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly paper: string,
    private readonly sans: string,
  ) {}

  /** A new sheet of paper, so wide. */
  begin(width: number): void {
    this.taken = [];
    this.width = width;
  }

  /**
   * Write below `y` around `middle`, or beside it where the paper ends; says whether there was
   * room.
   */
  write(
    words: string,
    middle: number,
    y: number,
    { size, weight, colour, forced = false }: Hand,
  ): boolean {
    this.context.font = `${weight} ${size}px ${this.sans}`;
    const half = this.widthOf(words) / 2;
    const onPaper = middle > 0 && middle < this.width && 2 * (half + EDGE) < this.width;
    const x = onPaper ? Math.min(Math.max(middle, half + EDGE), this.width - half - EDGE) : middle;
    const box = { left: x - half - 3, right: x + half + 3, top: y - size, bottom: y + 4 };
    if (!forced && this.taken.some((other) => meet(box, other))) return false;
    this.taken.push(box);
    this.context.textAlign = "center";
    this.context.lineJoin = "round";
    this.context.lineWidth = 3.5;
    this.context.strokeStyle = this.paper;
    this.context.strokeText(words, x, y);
    this.context.fillStyle = colour;
    this.context.fillText(words, x, y);
    return true;
  }

  /** Measuring costs more than drawing: each name is measured once for each size. */
  private widthOf(words: string): number {
    const key = `${this.context.font} ${words}`;
    const known = this.widths.get(key) ?? this.context.measureText(words).width;
    this.widths.set(key, known);
    return known;
  }
}
