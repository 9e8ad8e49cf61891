import { expect, it } from "vitest";
import { notNumbers, numberOf, wishOf, writtenOf } from "./wish";

const DEFAULTS = {
  epochs: 3,
  rank: 16,
  learning_rate: 7e-4,
  steps: null,
  recent_days: null,
  wording: "templates",
  reasoning: "none",
  thoughts: "rules",
  precision: "auto",
  device: "auto",
  dpo: false,
  on_policy: false,
  exam_questions: 120,
};
const EARLIER = {
  id: "t_1",
  settings: {
    ...DEFAULTS,
    epochs: 5,
    recent_days: 30,
    dpo: true,
    reasoning: "weak",
    wording: "model",
    exam_questions: 40,
  },
};

it("reads numbers in wide figures and with a decimal comma", () => {
  expect(
    ["10", " 2 ", "１０", "0,05", "０．０５", "０，０５", "1e-4", ".5", "0,050"].map(numberOf),
  ).toEqual([10, 2, 10, 0.05, 0.05, 0.05, 1e-4, 0.5, 0.05]);
});

it("takes nothing for a number that is none, or may be two", () => {
  for (const words of ["", "ten", "1 0", "10,000", "1,000,000", "1,2,3", "0x10", "1e999", "NaN"])
    expect(numberOf(words)).toBeNull();
  expect(notNumbers({ epochs: "十", rank: "８", alpha: " ", seed: "1..2" })).toEqual([
    "epochs",
    "seed",
  ]);
});

it("asks for what was written, and for nothing that was not", () => {
  expect(wishOf({}, DEFAULTS)).toEqual({});
  expect(wishOf({ epochs: " ２ ", rank: "", precision: "auto" }, DEFAULTS)).toEqual({ epochs: 2 });
  expect(wishOf({ epochs: "3" }, DEFAULTS)).toEqual({});
  expect(wishOf({ learning_rate: "1e-4", precision: "bfloat16" }, DEFAULTS)).toEqual({
    learning_rate: 1e-4,
    precision: "bfloat16",
  });
  expect(wishOf({ wording: "templates", reasoning: "none", dpo: false }, DEFAULTS)).toEqual({});
  expect(wishOf({ wording: "endpoint", reasoning: "multi", dpo: true }, DEFAULTS)).toEqual({
    wording: "endpoint",
    reasoning: "multi",
    dpo: true,
  });
});

it("begins a training that is learned again with the settings of the earlier one", () => {
  const written = writtenOf(EARLIER.settings, DEFAULTS);
  expect(written).toMatchObject({
    epochs: "5",
    recent_days: "30",
    dpo: true,
    reasoning: "weak",
    wording: "model",
  });
  expect(written).not.toHaveProperty("rank");
  expect(wishOf(written, DEFAULTS, EARLIER)).toEqual({ again: "t_1" });
});

it("says what differs from the earlier training, also where that is the default", () => {
  const written = writtenOf(EARLIER.settings, DEFAULTS);
  expect(
    wishOf(
      { ...written, dpo: false, reasoning: "none", wording: "templates", epochs: "" },
      DEFAULTS,
      EARLIER,
    ),
  ).toEqual({ again: "t_1", dpo: false, reasoning: "none", wording: "templates", epochs: 3 });
});

it("says all anew where a number is taken away that has no default", () => {
  const written = { ...writtenOf(EARLIER.settings, DEFAULTS), recent_days: "" };
  expect(wishOf(written, DEFAULTS, EARLIER)).toEqual({
    epochs: 5,
    dpo: true,
    reasoning: "weak",
    wording: "model",
    exam_questions: 40,
  });
});
