/** The ways to look at people, and what the address says of each. */

export const VIEWS = ["contacts", "grants", "offers", "inbox", "network"] as const;
export type View = (typeof VIEWS)[number];
/** Writing a grant stands under *Grants*. */
export type Place = View | "give";

export interface PeopleWish {
  readonly view: Place;
  /** The contact that is looked at, or who gets the grant. */
  readonly id: string;
}

export const peopleWishOf = (address: URLSearchParams): PeopleWish => ({
  view:
    address.get("view") === "give"
      ? "give"
      : (VIEWS.find((view) => view === address.get("view")) ?? "contacts"),
  id: address.get("id") ?? "",
});

/** The link in `/people#invite=…`: behind the `#`, so that it reaches no server and no log. */
export const inviteIn = (hash: string): string =>
  new URLSearchParams(hash.replace(/^#/, "")).get("invite") ?? "";

export function peopleHref(view: Place, id = ""): string {
  const address = new URLSearchParams({ view });
  if (id !== "") address.set("id", id);
  return `/people?${address.toString()}`;
}
