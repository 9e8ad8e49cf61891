/**
 * Whether the map moves, and whether this machine can draw all of it meanwhile: known from the
 * first, or told from the frames themselves.
 */

/**
 * At rest so long, and so many frames, after the last move: a machine that is late with a frame is
 * late with the next move as well.
 */
const RESTS_MS = 120;
const RESTS_FRAMES = 2;
/**
 * A frame may take so long; what is longer is owed, what is shorter pays back, and more is not lent
 * than this.
 */
const FRAME_MS = 34;
const MOST_OWED_MS = 200;

export class Pace {
  private loop = 0;
  private frames = 0;
  private movedAt = 0;
  private drawnAt = 0;
  private owed = 0;

  constructor(
    private slow: boolean,
    private readonly onRest: () => void,
  ) {}

  /** It moves, and all of it would come too late. */
  get hurried(): boolean {
    return this.slow && this.loop !== 0;
  }

  /** Call on every move. */
  moves(): void {
    this.movedAt = performance.now();
    this.frames = 0;
    if (this.loop === 0) this.next();
  }

  kill(): void {
    cancelAnimationFrame(this.loop);
  }

  private next(): void {
    this.loop = requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    if (this.drawnAt !== 0) this.owed = Math.max(0, this.owed + now - this.drawnAt - FRAME_MS);
    this.slow ||= this.owed > MOST_OWED_MS;
    this.drawnAt = now;
    this.frames += 1;
    if (this.frames <= RESTS_FRAMES || now - this.movedAt < RESTS_MS) this.next();
    else this.rest();
  }

  private rest(): void {
    [this.loop, this.drawnAt, this.owed] = [0, 0, 0];
    if (this.slow) this.onRest();
  }
}
