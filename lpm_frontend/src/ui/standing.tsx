"use client";
import type { Item } from "@/lib/api/types";
import { useText, type Text } from "@/lib/i18n";

type Stands = keyof Text["evidence"]["standing"];

/**
 * How a kind of memory stands: a record was observed, an opinion is believed, an observation sums
 * up.
 */
const STANDS: Readonly<Record<NonNullable<Item["kind"]>, Stands>> = {
  passage: "observed",
  world: "observed",
  experience: "observed",
  opinion: "believed",
  observation: "summed",
  turn: "told",
};

/**
 * The sign and the word for how something stands; `inferred` is what the node chose and nobody kept
 * yet.
 */
export function Standing({
  of = "passage",
  inferred = false,
}: {
  of?: Item["kind"];
  inferred?: boolean;
}) {
  const text = useText();
  const stands = inferred ? "inferred" : STANDS[of];
  return <span className={`kind ${stands}`}>{text.evidence.standing[stands]}</span>;
}
