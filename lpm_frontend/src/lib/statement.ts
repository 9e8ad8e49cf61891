/**
 * A statement as the line that holds it in a file, as `lpm_kernel/domain/memory/retain.py` writes
 * it.
 */
import type { Memory } from "@/lib/api/types";

export const STATEMENT_KINDS = ["world", "experience", "opinion", "observation"] as const;
export type StatementKind = (typeof STATEMENT_KINDS)[number];

const LETTERS: Readonly<Record<StatementKind, string>> = {
  world: "W",
  experience: "B",
  opinion: "O",
  observation: "S",
};
const NAMED = /[@＠](?:\[([^\]\n]{1,60})\]|([\p{L}\p{N}_’'.-]*[\p{L}\p{N}_’']))/gu;

export const isStatementKind = (kind: string): kind is StatementKind => kind in LETTERS;

/** Write it so that reading the line gives the same memory again, under its own id. */
export function lineOf({
  id,
  kind,
  content,
  entities,
  confidence,
}: Pick<Memory, "id" | "kind" | "content" | "entities" | "confidence">): string {
  const written = new Set(
    [...content.matchAll(NAMED)].map(([, long, short]) => long ?? short ?? ""),
  );
  const end = entities.findIndex((name) => written.has(name));
  const first = end === -1 ? entities : entities.slice(0, end);
  const letter = isStatementKind(kind) ? LETTERS[kind] : LETTERS.world;
  const sure = confidence === null ? "" : `(c=${Number(confidence.toFixed(6))})`;
  const about = first.length === 0 ? "" : `${first.map((name) => `@${name}`).join(", ")}: `;
  return `${letter}${sure} ${about}${content} ^${id}`;
}

/** The words as one reads them: a name without the marks that make it one. */
export const spoken = ({ content, entities }: Pick<Memory, "content" | "entities">): string =>
  content.replace(
    NAMED,
    (written: string, long: string | undefined, short: string | undefined, at: number) => {
      const name = long ?? short ?? "";
      return entities.includes(name) && !/[\p{L}\p{N}]$/u.test(content.slice(0, at))
        ? name
        : written;
    },
  );

/** The same, after the names that it is about, where its words say none of them. */
export function spokenOf(memory: Pick<Memory, "content" | "entities">): string {
  const words = spoken(memory);
  const said = words.toLocaleLowerCase();
  const names = memory.entities.filter((name) => name !== "");
  return names.length === 0 || names.some((name) => parts(name).some((part) => said.includes(part)))
    ? words
    : `${names.join(", ")}: ${words}`;
}

/** The words of a name, but for its initials. */
const parts = (name: string): string[] => {
  const all = name.toLocaleLowerCase().split(/[\s.]+/u);
  const long = all.filter((part) => part.length > 1);
  return long.length > 0 ? long : all;
};

/** The file of the workspace that a place such as `memory/2026-11-21.md#L5` lies in. */
export const fileOf = (source: string): string => source.replace(/#L[\d-]+L?\d*$/u, "");

/** Names that were typed one after the other, with commas. */
export const namesOf = (typed: string): string[] => [
  ...new Set(
    typed
      .split(/[,、，]/u)
      .map((name) => name.trim().replace(/^[@＠]/u, ""))
      .filter((name) => name !== ""),
  ),
];
