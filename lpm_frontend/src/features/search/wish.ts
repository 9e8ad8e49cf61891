/** What is looked for, as it stands in the address. */
import type { Document } from "@/lib/api/types";

export interface SearchWish {
  readonly query: string;
  readonly since: string;
  readonly until: string;
  readonly kinds: readonly Document["kind"][];
  readonly tags: readonly string[];
  readonly entities: readonly string[];
  readonly folder: string;
}

export const NO_WISH: SearchWish = { query: "", since: "", until: "", kinds: [], tags: [], entities: [], folder: "" };
const KINDS: ReadonlySet<string> = new Set<Document["kind"]>(["text", "markdown", "pdf", "transcript", "table", "mail", "html", "docx", "archive", "image", "audio"]);

/** Read an address; what it names that there is not is passed over. */
export const wishOf = (address: URLSearchParams): SearchWish => ({
  query: address.get("q") ?? "",
  since: address.get("since") ?? "",
  until: address.get("until") ?? "",
  kinds: address.getAll("kind").filter((kind): kind is Document["kind"] => KINDS.has(kind)),
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
  for (const tag of wish.tags) address.append("tag", tag);
  for (const who of wish.entities) address.append("who", who);
  if (wish.folder !== "") address.set("folder", wish.folder);
  const said = address.toString();
  return said === "" ? "/search" : `/search?${said}`;
}

/** Whether anything but the words narrows it. */
export const isNarrowed = (wish: SearchWish): boolean => hrefOf({ ...wish, query: "" }) !== "/search";

const [ON, OFF] = ["\u0001", "\u0002"] as const;

/** A text as one reads it, cut at its marks; marks count code points. `tidy` may leave signs out between them. */
export function marked(
  text: string,
  marks: readonly { readonly start: number; readonly end: number }[],
  tidy: (text: string) => string = (same) => same,
): readonly { readonly words: string; readonly on: boolean }[] {
  const signs = Array.from(text.replaceAll(ON, " ").replaceAll(OFF, " "));
  let noted = "";
  let at = 0;
  for (const { start, end } of marks.toSorted((a, b) => a.start - b.start)) {
    const from = Math.max(at, start);
    const to = Math.min(end, signs.length);
    if (to <= from) continue;
    noted += signs.slice(at, from).join("") + ON + signs.slice(from, to).join("") + OFF;
    at = to;
  }
  noted += signs.slice(at).join("");
  return tidy(noted)
    .split(ON)
    .flatMap((part, n) => {
      const [on = "", off] = part.split(OFF);
      return n === 0 ? [{ words: part, on: false }] : [{ words: on, on: true }, { words: off ?? "", on: false }];
    })
    .filter((part) => part.words !== "");
}
