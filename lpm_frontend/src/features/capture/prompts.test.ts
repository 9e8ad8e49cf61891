import { expect, it } from "vitest";
import type { Occasions } from "@/lib/api/types";
import { promptsOf } from "./prompts";

const event = (day: string): Occasions["events"][number] => ({
  day,
  sentence: {
    text: "Dentist at ten.",
    source: "documents/d#L1",
    speaker: null,
    document: { id: "d", title: "Diary", kind: "markdown", private: false },
    start: 0,
    end: 15,
    page: null,
    anchor: null,
  },
});
const named = (name: string): Occasions["named"][number] => ({
  slug: name.toLowerCase(),
  name,
  last: "2026-11-24",
  passages: 2,
});

it("shows three at most, what comes before who was named", () => {
  const people = ["Mai", "Ide", "Rei"].map(named);
  const some = promptsOf({ events: [event("2026-11-26")], named: people });
  expect([some.events.length, some.named.map(({ name }) => name)]).toEqual([1, ["Mai", "Ide"]]);
  const busy = promptsOf({
    events: ["2026-11-26", "2026-11-26", "2026-11-27"].map(event),
    named: people,
  });
  expect([busy.events.length, busy.named.length]).toEqual([2, 1]);
});

it("has none where nothing is going on", () => {
  expect(promptsOf({ events: [], named: [] })).toEqual({ events: [], named: [] });
});
