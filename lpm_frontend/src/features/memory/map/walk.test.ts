import { expect, it } from "vitest";
import { mixed, pigmentsOf, thin } from "./pigments";
import { holdsIn, towards } from "./walk";

it("an arrow key goes to the neighbour that lies most in its direction, and nowhere where none does", () => {
  const here = { id: "here", x: 0, y: 0 };
  const around = [
    { id: "above", x: 0.1, y: 1 },
    { id: "right", x: 1, y: 0.2 },
    { id: "far right", x: 9, y: 0 },
  ];
  expect(
    (["up", "right", "left", "down"] as const).map(
      (direction) => towards(direction, here, around)?.id ?? "",
    ),
  ).toEqual(["above", "right", "", ""]);
  expect(towards("up", here, [here])).toBeNull();
});

it("what is named in none of the years does not hold in them", () => {
  expect([
    holdsIn("2018-05-01T12:00:00Z", "2020-05-01T12:00:00Z", 2019, 2019),
    holdsIn("2018-05-01T12:00:00Z", "2020-05-01T12:00:00Z", 2021, 2025),
    holdsIn(null, null, 2019, 2019),
  ]).toEqual([true, false, true]);
});

it("the largest communities have pigments of their own", () => {
  const community = (id: string, size: number) => ({
    id,
    size,
    title: id,
    report: [],
    members: [],
  });
  const found = pigmentsOf([
    community("small", 1),
    community("large", 9),
    ...["a", "b", "c", "d"].map((id) => community(id, 5)),
  ]);
  expect([found.get("large"), found.get("a"), found.get("d"), found.get("small")]).toEqual([
    "ink-2",
    "ai",
    "shu",
    "ink-3",
  ]);
  expect([mixed("#000000", "#ffffff", 0.5), thin("#102030", 0.08)]).toEqual([
    "#808080",
    "#10203014",
  ]);
});
