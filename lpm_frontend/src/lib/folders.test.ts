import { describe, expect, it } from "vitest";
import { treeOf } from "./folders";

describe("folders as a tree", () => {
  it("count what lies below them, and stand before it", () => {
    expect(treeOf({ "letters/2024": 3, letters: 1, "": 9, "life/memory/2025": 2 })).toEqual([
      { path: "letters", name: "letters", depth: 0, count: 4 },
      { path: "letters/2024", name: "2024", depth: 1, count: 3 },
      { path: "life", name: "life", depth: 0, count: 2 },
      { path: "life/memory", name: "memory", depth: 1, count: 2 },
      { path: "life/memory/2025", name: "2025", depth: 2, count: 2 },
    ]);
  });

  it("are sorted part by part, with numbers as numbers", () => {
    expect(treeOf({ "a b": 1, "a/10": 1, "a/9": 1 }).map((each) => each.path)).toEqual([
      "a",
      "a/9",
      "a/10",
      "a b",
    ]);
  });
});
