/** The ways to look at one's memory, and what the address says of each. */
import type { Person } from "@/lib/api/reflections";
import type { EntityKind } from "@/lib/api/types";
import { isDay, SPANS, yearOf, type Span } from "@/lib/days";

export const VIEWS = [
  "today",
  "map",
  "timeline",
  "pages",
  "opinions",
  "biography",
  "profile",
  "fading",
  "files",
] as const;
export type Tab = (typeof VIEWS)[number];
/** Besides the tabs: what is gone through, which is reached from today. */
export type View = Tab | "review";

/**
 * `?view=`; an address that says nothing at all is the one that was open last, and any other is
 * today.
 */
export function viewOf(address: URLSearchParams, last = ""): View {
  const named = address.size === 0 ? last : address.get("view");
  if (named === "review" && address.size > 0) return "review";
  return VIEWS.find((view) => view === named) ?? "today";
}

export interface TimelineWish {
  /** The day that is chosen; empty for the last one that holds something. */
  readonly day: string;
  readonly span: Span;
  /** The year that is shown, where no day is chosen; 0 for the last one. */
  readonly year: number;
}

export function timelineWishOf(address: URLSearchParams): TimelineWish {
  const day = address.get("day") ?? "";
  const year = /^\d{4}$/u.test(address.get("year") ?? "") ? Number(address.get("year")) : 0;
  const span = SPANS.find((each) => each === address.get("span")) ?? "day";
  return isDay(day) ? { day, span, year: yearOf(day) } : { day: "", span, year };
}

export function timelineHref({ day, span, year }: TimelineWish): string {
  const address = new URLSearchParams({ view: "timeline" });
  if (day !== "") address.set("day", day);
  else if (year !== 0) address.set("year", String(year));
  if (span !== "day") address.set("span", span);
  return `/memory?${address.toString()}`;
}

export const KINDS: readonly EntityKind[] = ["person", "place", "thing", "idea", "unknown"];

export interface PagesWish {
  /** The page that is open; empty for none. */
  readonly slug: string;
  /** Only these; empty for all. */
  readonly kind: EntityKind | "";
}

export const pagesWishOf = (address: URLSearchParams): PagesWish => ({
  slug: address.get("slug") ?? "",
  kind: KINDS.find((kind) => kind === address.get("kind")) ?? "",
});

export function pagesHref({ slug, kind }: PagesWish): string {
  const address = new URLSearchParams({ view: "pages" });
  if (kind !== "") address.set("kind", kind);
  if (slug !== "") address.set("slug", slug);
  return `/memory?${address.toString()}`;
}

export interface MapWish {
  /** Whose page is open; empty for none. */
  readonly slug: string;
  /** Around whom the map is drawn; empty for the whole. */
  readonly around: string;
}

export const mapWishOf = (address: URLSearchParams): MapWish => ({
  slug: address.get("slug") ?? "",
  around: address.get("around") ?? "",
});

export function mapHref({ slug, around }: MapWish): string {
  const address = new URLSearchParams({ view: "map" });
  if (around !== "") address.set("around", around);
  if (slug !== "") address.set("slug", slug);
  return `/memory?${address.toString()}`;
}

export interface OpinionsWish {
  /** The view that is open; empty for none. */
  readonly id: string;
}

export const opinionsWishOf = (address: URLSearchParams): OpinionsWish => ({
  id: address.get("id") ?? "",
});
export const opinionsHref = ({ id }: OpinionsWish): string =>
  `/memory?${new URLSearchParams({ view: "opinions", ...(id === "" ? {} : { id }) }).toString()}`;

export const PERSONS: readonly Person[] = ["first", "second", "third"];

export interface BiographyWish {
  readonly person: Person;
  /** Which version's changes are shown; 0 for the page as it reads now. */
  readonly version: number;
  /** The sentence whose places are shown; empty for none. */
  readonly sentence: string;
  /** The topic that is open; empty for none. */
  readonly topic: string;
}

export const biographyWishOf = (address: URLSearchParams): BiographyWish => ({
  person: PERSONS.find((person) => person === address.get("person")) ?? "first",
  version: /^\d{1,6}$/u.test(address.get("version") ?? "") ? Number(address.get("version")) : 0,
  sentence: address.get("sentence") ?? "",
  topic: address.get("topic") ?? "",
});

export function biographyHref({ person, version, sentence, topic }: BiographyWish): string {
  const address = new URLSearchParams({ view: "biography" });
  if (person !== "first") address.set("person", person);
  if (version > 0) address.set("version", String(version));
  if (sentence !== "") address.set("sentence", sentence);
  if (topic !== "") address.set("topic", topic);
  return `/memory?${address.toString()}`;
}

export interface ProfileWish {
  /** The line that is open; empty for none. */
  readonly line: string;
}

export const profileWishOf = (address: URLSearchParams): ProfileWish => ({
  line: address.get("line") ?? "",
});
export const profileHref = ({ line }: ProfileWish): string =>
  `/memory?${new URLSearchParams({ view: "profile", ...(line === "" ? {} : { line }) }).toString()}`;

export interface FilesWish {
  /** The file that is open, by its path; empty for none. */
  readonly path: string;
}

export const filesWishOf = (address: URLSearchParams): FilesWish => ({
  path: address.get("file") ?? "",
});
export const filesHref = ({ path }: FilesWish): string =>
  `/memory?${new URLSearchParams({ view: "files", ...(path === "" ? {} : { file: path }) }).toString()}`;

/** Where the node writes who the person is. */
export const BIOGRAPHY = "bank/biography.md";
const ENTITY = /^bank\/entities\/(.+)\.md$/u;
const TOPIC = /^bank\/topics\/(.+)\.md$/u;

/** The view that shows a page of the workspace best; its file where there is no other. */
export function hrefOfPage(path: string): string {
  const slug = ENTITY.exec(path)?.[1];
  if (slug !== undefined) return pagesHref({ slug, kind: "" });
  const topic = TOPIC.exec(path)?.[1];
  return topic !== undefined || path === BIOGRAPHY
    ? biographyHref({ person: "first", version: 0, sentence: "", topic: topic ?? "" })
    : filesHref({ path });
}
