import type { SaidIn } from "@/lib/api/types";

/** A place in a document, to be shown. */
export interface PlaceInText {
  readonly document: string;
  /** Code points in the canonical text, `end` exclusive. Equal: nothing is marked. */
  readonly start: number;
  readonly end: number;
  /** The chat in which the person said it. */
  readonly saidIn?: SaidIn | null | undefined;
}
