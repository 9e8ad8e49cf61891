/** What is looked for, as it stands in the address. */
import type { Document, Memory } from "@/lib/api/types";

export interface SearchWish {
  readonly query: string;
  readonly since: string;
  readonly until: string;
  readonly kinds: readonly Document["kind"][];
  /** Kinds of statement, or `passage` for what is none. */
  readonly said: readonly Memory["kind"][];
  readonly tags: readonly string[];
  readonly entities: readonly string[];
  readonly folder: string;
}

export const NO_WISH: SearchWish = {
  query: "",
  since: "",
  until: "",
  kinds: [],
  said: [],
  tags: [],
  entities: [],
  folder: "",
};
const KINDS: ReadonlySet<string> = new Set<Document["kind"]>([
  "text",
  "markdown",
  "pdf",
  "transcript",
  "table",
  "mail",
  "html",
  "docx",
  "archive",
  "image",
  "audio",
]);
/** What may have been found: statements by kind, and text that is none. */
export const SAID = [
  "turn",
  "world",
  "experience",
  "opinion",
  "observation",
  "passage",
] as const satisfies readonly Memory["kind"][];

/** Read an address; what it names that there is not is passed over. */
export const wishOf = (address: URLSearchParams): SearchWish => ({
  query: address.get("q") ?? "",
  since: address.get("since") ?? "",
  until: address.get("until") ?? "",
  kinds: address.getAll("kind").filter((kind): kind is Document["kind"] => KINDS.has(kind)),
  said: SAID.filter((kind) => address.getAll("said").includes(kind)),
  tags: address.getAll("tag"),
  entities: address.getAll("who"),
  folder: address.get("folder") ?? "",
});

export function hrefOf(wish: SearchWish): string {
  const address = new URLSearchParams();
  if (wish.query !== "") address.set("q", wish.query);
  if (wish.since !== "") address.set("since", wish.since);
  if (wish.until !== "") address.set("until", wish.until);
  for (const kind of wish.kinds) address.append("kind", kind);
  for (const kind of wish.said) address.append("said", kind);
  for (const tag of wish.tags) address.append("tag", tag);
  for (const who of wish.entities) address.append("who", who);
  if (wish.folder !== "") address.set("folder", wish.folder);
  const said = address.toString();
  return said === "" ? "/search" : `/search?${said}`;
}

/** Whether anything but the words narrows it. */
export const isNarrowed = (wish: SearchWish): boolean =>
  hrefOf({ ...wish, query: "" }) !== "/search";
