import { Settings2 } from "lucide-react";
import { expect, it } from "vitest";
import { beginsSo, matching } from "./entries";

const entries = [
  { id: "library", words: "書庫", also: "Library 書庫", icon: Settings2, run: () => undefined },
  { id: "settings", words: "設定", also: "Settings 設定", icon: Settings2, run: () => undefined },
];

it("finds an entry by its name in either language", () => {
  expect(matching(entries, "libr").map((entry) => entry.id)).toEqual(["library"]);
  expect(matching(entries, "設").map((entry) => entry.id)).toEqual(["settings"]);
  expect(matching(entries, "ＳＥＴ").map((entry) => entry.id)).toEqual(["settings"]);
  expect(matching(entries, "")).toHaveLength(2);
});

it("knows what is called so in either language, and not what only holds the letters", () => {
  const [library, settings] = entries;
  if (!library || !settings) throw new Error("two entries");
  expect([
    beginsSo(library, "lib"),
    beginsSo(library, "書庫"),
    beginsSo(settings, "ting"),
    beginsSo(settings, "s"),
  ]).toEqual([true, true, false, false]);
});
