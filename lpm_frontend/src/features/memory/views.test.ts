import { expect, it } from "vitest";
import {
  biographyHref,
  biographyWishOf,
  hrefOfPage,
  opinionsHref,
  opinionsWishOf,
  pagesHref,
  pagesWishOf,
  timelineHref,
  timelineWishOf,
  viewOf,
} from "./views";

it("a way to look is in the address, an address without anything is the last one, and anything else is today", () => {
  expect([
    viewOf(new URLSearchParams(""), "pages"),
    viewOf(new URLSearchParams("id=m1"), "pages"),
    viewOf(new URLSearchParams("view=map"), "pages"),
    viewOf(new URLSearchParams(""), "nowhere"),
  ]).toEqual(["pages", "today", "map", "today"]);
  expect(["view=map", "view=nowhere", ""].map((said) => viewOf(new URLSearchParams(said)))).toEqual(
    ["map", "today", "today"],
  );
});

it("what is looked at in the timeline comes back out of its address", () => {
  for (const wish of [
    { day: "2025-11-18", span: "week" as const, year: 2025 },
    { day: "", span: "day" as const, year: 2023 },
    { day: "", span: "month" as const, year: 0 },
  ]) {
    expect(timelineWishOf(new URL(timelineHref(wish), "http://here").searchParams)).toEqual(wish);
  }
  expect(timelineWishOf(new URLSearchParams("day=2025-02-30&year=soon&span=decade"))).toEqual({
    day: "",
    span: "day",
    year: 0,
  });
});

it("a page that is open comes back out of its address", () => {
  const wish = { slug: "old bridge/1", kind: "place" as const };
  expect(pagesWishOf(new URL(pagesHref(wish), "http://here").searchParams)).toEqual(wish);
  expect(pagesWishOf(new URLSearchParams("kind=ghost"))).toEqual({ slug: "", kind: "" });
});

it("a view and a sentence that are open come back out of their addresses", () => {
  expect(opinionsWishOf(new URL(opinionsHref({ id: "m1" }), "http://here").searchParams)).toEqual({
    id: "m1",
  });
  for (const wish of [
    { person: "third" as const, version: 3, sentence: "", topic: "" },
    { person: "first" as const, version: 0, sentence: "0a1b", topic: "" },
    { person: "first" as const, version: 0, sentence: "", topic: "京都" },
  ]) {
    expect(biographyWishOf(new URL(biographyHref(wish), "http://here").searchParams)).toEqual(wish);
  }
  expect(biographyWishOf(new URLSearchParams("person=fourth&version=-1"))).toEqual({
    person: "first",
    version: 0,
    sentence: "",
    topic: "",
  });
});

it("a page that the node wrote opens in the view that shows it best", () => {
  expect(hrefOfPage("bank/entities/井出.md")).toBe("/memory?view=pages&slug=%E4%BA%95%E5%87%BA");
  expect(hrefOfPage("bank/biography.md")).toBe("/memory?view=biography");
  expect(hrefOfPage("bank/topics/京都.md")).toBe("/memory?view=biography&topic=%E4%BA%AC%E9%83%BD");
  expect(hrefOfPage("memory/2026-01-10.md")).toBe("/memory?view=files&file=memory%2F2026-01-10.md");
});
