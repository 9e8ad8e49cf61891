import { expect, it } from "vitest";
import { sealGlyph } from "./seal";

it.each([
  ["Nagi Sorrel", "N"],
  ["ソレル 凪", "凪"],
  ["山田 太郎", "太"],
  ["ソレル", "ソ"],
  ["élodie", "É"],
  ["👩‍🎻 Mai", "👩‍🎻"],
  ["محمد", "م"],
  ["", "私"],
])("presses %s as %s", (name, glyph) => {
  expect(sealGlyph(name)).toBe(glyph);
});
