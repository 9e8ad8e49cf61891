import { describe, expect, it } from "vitest";
import { hrefOf, isNarrowed, NO_WISH, wishOf } from "./wish";

describe("what is looked for", () => {
  it("comes back out of its address as it went in", () => {
    const wish = {
      ...NO_WISH,
      query: "oil & varnish",
      since: "30d",
      kinds: ["pdf" as const, "mail" as const],
      said: ["opinion" as const, "passage" as const],
      tags: ["bench"],
      entities: ["Mr Ide", "凪"],
      folder: "letters/2024",
    };
    expect(wishOf(new URL(hrefOf(wish), "http://here").searchParams)).toEqual(wish);
    expect(hrefOf(NO_WISH)).toBe("/search");
    expect(isNarrowed({ ...NO_WISH, query: "x" })).toBe(false);
    expect(isNarrowed(wish)).toBe(true);
  });

  it("passes over kinds that there are not", () => {
    expect(wishOf(new URLSearchParams("kind=novel&kind=pdf")).kinds).toEqual(["pdf"]);
    expect(wishOf(new URLSearchParams("said=rumour&said=opinion")).said).toEqual(["opinion"]);
  });
});
