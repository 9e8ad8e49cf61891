import { expect, it } from "vitest";
import { keepDraft, NO_DRAFT, readDraft } from "./draft";

it("finds what was written as it was left, and nothing once it is saved", () => {
  expect(readDraft()).toEqual(NO_DRAFT);
  keepDraft({ words: "𠮷 Glue\nall day", moment: "2026-11-26T08:12:33+09:00" });
  expect(readDraft()).toEqual({ words: "𠮷 Glue\nall day", moment: "2026-11-26T08:12:33+09:00" });
  keepDraft(NO_DRAFT);
  expect(readDraft()).toEqual(NO_DRAFT);
  expect(localStorage).toHaveLength(0);
});
