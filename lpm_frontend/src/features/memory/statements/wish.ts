/** What is looked at in Memory, as it stands in the address. */
import { isStatementKind, type StatementKind } from "@/lib/statement";

export interface MemoryWish {
  /** The memory that is open; empty for none. */
  readonly id: string;
  readonly kinds: readonly StatementKind[];
  readonly about: string;
  readonly words: string;
  /** The day whose beliefs are shown; empty for now. */
  readonly then: string;
  /** What was forgotten is listed, instead of what is believed. */
  readonly forgotten: boolean;
}

export const NO_WISH: MemoryWish = {
  id: "",
  kinds: [],
  about: "",
  words: "",
  then: "",
  forgotten: false,
};

/** Read an address; what it names that there is not is passed over. */
export const wishOf = (address: URLSearchParams): MemoryWish => ({
  id: address.get("id") ?? "",
  kinds: address.getAll("kind").filter(isStatementKind),
  about: address.get("about") ?? "",
  words: address.get("q") ?? "",
  then: /^\d{4}-\d{2}-\d{2}$/u.test(address.get("then") ?? "") ? (address.get("then") ?? "") : "",
  forgotten: address.get("forgotten") === "1",
});

export function hrefOf({ id, kinds, about, words, then, forgotten }: MemoryWish): string {
  const address = new URLSearchParams();
  if (words !== "") address.set("q", words);
  for (const kind of kinds) address.append("kind", kind);
  if (about !== "") address.set("about", about);
  if (then !== "") address.set("then", then);
  if (forgotten) address.set("forgotten", "1");
  if (id !== "") address.set("id", id);
  const said = address.toString();
  return said === "" ? "/memory" : `/memory?${said}`;
}

/** The last moment of a day, where the person is. */
export const endOf = (day: string): string =>
  day === "" ? "" : new Date(`${day}T23:59:59.999`).toISOString();

export const isNarrowed = ({ kinds, about, words }: MemoryWish): boolean =>
  kinds.length > 0 || about !== "" || words !== "";
