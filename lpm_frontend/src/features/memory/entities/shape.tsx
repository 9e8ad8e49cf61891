import type { EntityKind } from "@/lib/api/types";

/**
 * The shape that a kind has everywhere: ● people, ○ places, ■ things, ◇ ideas; what is not known is
 * a small dot.
 */
export const Shape = ({ kind }: { kind: EntityKind }) => (
  <i className={`shape ${kind}`} aria-hidden="true" />
);
