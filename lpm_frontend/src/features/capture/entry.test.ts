import { expect, it } from "vitest";
import { entryOf, stamp } from "./entry";

it("says the moment by the person's own clock", () => {
  const moment = new Date(2026, 10, 26, 8, 12, 33);
  const written = stamp(moment);
  expect(written).toMatch(/^2026-11-26T08:12:33[+-]\d\d:\d\d$/);
  expect(Date.parse(written)).toBe(moment.getTime());
});

it("keeps the words, and the same words of another moment are another document", () => {
  const early = entryOf("  Glue all day. \n", "2026-11-26T08:12:33+09:00", "en");
  const late = entryOf("Glue all day.", "2026-11-26T21:40:00+09:00", "en");
  expect(early.text).toBe("---\ncreated: 2026-11-26T08:12:33+09:00\n---\nGlue all day.");
  expect(late.text).not.toBe(early.text);
  expect(early.created_at).toBe("2026-11-26T08:12:33+09:00");
});

it("is called by its day and time in the language of the screen", () => {
  const moment = stamp(new Date(2026, 10, 26, 8, 12, 33));
  expect(entryOf("Glue.", moment, "en").title).toBe("26 Nov 2026 08:12");
  expect(entryOf("Glue.", moment, "ja").title).toMatch(/^2026年11月26日 0?8:12$/);
});
