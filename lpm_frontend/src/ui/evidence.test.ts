import { expect, it } from "vitest";
import { en } from "@/lib/i18n/en";
import { ja } from "@/lib/i18n/ja";
import { placeOf } from "./evidence";

it("says a place in words", () => {
  expect(placeOf({ source: "documents/d#L1-L5" }, en)).toBe(" · lines 1–5");
  expect(placeOf({ source: "documents/d#L3" }, en)).toBe(" · line 3");
  expect(placeOf({ source: "documents/d#L1-L5" }, ja)).toBe(" · 1〜5行目");
  expect(placeOf({ source: "documents/d#L1", anchor: { kind: "page", n: 2 } }, en)).toBe(" · p. 2");
  expect(placeOf({ source: "documents/d" }, en)).toBe("");
});
