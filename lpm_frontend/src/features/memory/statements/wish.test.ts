import { describe, expect, it } from "vitest";
import { endOf, hrefOf, isNarrowed, NO_WISH, wishOf } from "./wish";

describe("what is looked at in Memory", () => {
  it("comes back out of its address as it went in", () => {
    const wish = {
      id: "m0123abcd",
      kinds: ["opinion" as const, "world" as const],
      about: "Mr Ide",
      words: "oil & varnish",
      then: "2024-11-20",
      forgotten: false,
    };
    expect(wishOf(new URL(hrefOf(wish), "http://here").searchParams)).toEqual(wish);
    expect(hrefOf(NO_WISH)).toBe("/memory");
    expect([isNarrowed(wish), isNarrowed({ ...NO_WISH, id: "m1", then: "2024-11-20" })]).toEqual([
      true,
      false,
    ]);
  });

  it("passes over kinds and days that there are not", () => {
    expect(wishOf(new URLSearchParams("kind=rumour&kind=opinion&then=soon"))).toEqual({
      ...NO_WISH,
      kinds: ["opinion"],
    });
  });

  it("takes a day to its end", () => {
    expect(endOf("")).toBe("");
    expect(new Date(endOf("2024-11-20")).getHours()).toBe(23);
  });
});
