import { describe, expect, it } from "vitest";
import { hrefOf, isNarrowed, marked, NO_WISH, wishOf } from "./wish";

describe("what is looked for", () => {
  it("comes back out of its address as it went in", () => {
    const wish = { ...NO_WISH, query: "oil & varnish", since: "30d", kinds: ["pdf" as const, "mail" as const], tags: ["bench"], entities: ["Mr Ide", "凪"], folder: "letters/2024" };
    expect(wishOf(new URL(hrefOf(wish), "http://here").searchParams)).toEqual(wish);
    expect(hrefOf(NO_WISH)).toBe("/search");
    expect(isNarrowed({ ...NO_WISH, query: "x" })).toBe(false);
    expect(isNarrowed(wish)).toBe(true);
  });

  it("passes over kinds that there are not", () => {
    expect(wishOf(new URLSearchParams("kind=novel&kind=pdf")).kinds).toEqual(["pdf"]);
  });
});

describe("marks", () => {
  it("cut a text in code points and lose nothing of it", () => {
    const parts = marked("𠮷 two tops", [{ start: 6, end: 10 }, { start: 2, end: 5 }]);
    expect(parts).toEqual([
      { words: "𠮷 ", on: false },
      { words: "two", on: true },
      { words: " ", on: false },
      { words: "tops", on: true },
    ]);
    expect(marked("abc", [{ start: 0, end: 2 }, { start: 1, end: 9 }]).map((part) => part.words).join("")).toBe("abc");
  });
});
