import { describe, expect, it } from "vitest";
import type { GrantTemplate } from "@/lib/api/types";
import { draftOf, layersOf, missingOf, partsOf, scopeOf, wishOf } from "./draft";

const TOPIC: GrantTemplate = {
  name: "topic",
  verbs: ["ask", "recall"],
  layers: ["L0", "L1"],
  form: "excerpt",
  daily: { calls: 50, bytes: 2_000_000, tokens: 50_000 },
  consent: "auto",
  days: 90,
  tagged: true,
};
const ANSWERS: GrantTemplate = {
  ...TOPIC,
  name: "answers",
  verbs: ["ask"],
  layers: ["L1"],
  form: "answer",
  consent: "ask",
  days: 30,
  tagged: false,
};

describe("a grant while it is written", () => {
  it("begins as its template has it, and keeps what no template speaks of", () => {
    const first = {
      ...draftOf(TOPIC, "2026-03-14"),
      tags: ["walks"],
      since: "2024-01-01",
      purpose: "a visit",
      calls: 3,
    };
    expect(first.end).toBe("2026-06-12");
    const then = draftOf(ANSWERS, "2026-03-14", first);
    expect([then.tags, then.since, then.purpose, then.calls, then.form]).toEqual([
      ["walks"],
      "2024-01-01",
      "a visit",
      50,
      "answer",
    ]);
    expect(then.kinds).not.toContain("passage");
  });

  it("says from which sort its rows come by their kinds", () => {
    expect(layersOf(["passage"])).toEqual(["L0"]);
    expect(layersOf(["opinion"])).toEqual(["L1"]);
    expect(layersOf(["opinion", "passage"])).toEqual(["L0", "L1"]);
  });

  it("asks for the same scope in the preview and in the grant", () => {
    const wish = wishOf({ ...draftOf(TOPIC, "2026-03-14"), tags: ["walks"], since: "2024-01-01" });
    expect(wish.bytes_per_day).toBe(2_000_000);
    const scope = scopeOf(wish);
    expect(scope).toEqual({
      template: "topic",
      layers: ["L0", "L1"],
      tags: ["walks"],
      kinds: wish.kinds,
      since: wish.since,
    });
    expect(scopeOf({ ...wish, purpose: "another", calls_per_day: 1 })).toEqual(scope);
  });

  it("says what is missing before anything is counted", () => {
    const draft = { ...draftOf(TOPIC, "2026-03-14"), tags: ["walks"] };
    const missing = (change: Partial<typeof draft>): string | null =>
      missingOf({ ...draft, ...change }, true, "2026-03-14");
    expect(missing({})).toBeNull();
    expect(missing({ tags: [] })).toBe("tags");
    expect(missingOf({ ...draft, tags: [] }, false, "2026-03-14")).toBeNull();
    expect(missing({ verbs: [] })).toBe("verbs");
    expect(missing({ kinds: [] })).toBe("kinds");
    expect(missing({ since: "2025-01-02", until: "2025-01-02" })).toBe("time");
    expect(missing({ since: "0020-01-01" })).toBe("time");
    expect(missing({ end: "2026-03-13" })).toBe("end");
  });

  it("takes a sentence apart at its choices", () => {
    expect(partsOf("{who} may {verbs}.")).toEqual([
      { name: "who" },
      { words: " may " },
      { name: "verbs" },
      { words: "." },
    ]);
  });
});
