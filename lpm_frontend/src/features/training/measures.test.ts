import { expect, it } from "vitest";
import {
  byArm,
  chanceOf,
  changeOf,
  measured,
  MEASURES,
  percent,
  placeIn,
  placeOf,
  questionsOf,
  reads,
  scaleOf,
} from "./measures";

const figure = (value: number, low = value, high = value, n = 20) => ({ value, low, high, n });

it("calls a difference one only where it is outside the interval", () => {
  expect(changeOf("fact_retention", figure(0.04), figure(0.88, 0.8, 0.95), [])).toBe("muchBetter");
  expect(changeOf("fact_retention", figure(0.6), figure(0.7, 0.65, 0.75), [])).toBe("better");
  expect(changeOf("fact_retention", figure(0.66), figure(0.7, 0.65, 0.75), [])).toBe("same");
  expect(changeOf("general", figure(0.9), figure(0.8, 0.7, 0.88), [])).toBe("littleWorse");
  expect(changeOf("general", figure(0.9), figure(0.8, 0.7, 0.88), ["general"])).toBe("worse");
});

it("knows which measures are better when they are lower", () => {
  expect(changeOf("leak_rate", figure(0.5), figure(0, 0, 0.1), [])).toBe("muchBetter");
  expect(changeOf("perplexity_drift", figure(0), figure(0.1, 0.05, 0.2), [])).toBe("littleWorse");
});

it("shows what was measured, in order, and nothing else", () => {
  const card = {
    arms: {
      base: { general: figure(0.5), fact_retention: figure(0) },
      sft: {
        general: figure(0.5),
        fact_retention: figure(0.8),
        leak_rate: figure(0, 0, 0, 0),
        perplexity_drift: figure(0.1),
      },
    },
    verdict: { better: true, reasons: [] },
    against: "base",
  };
  expect(measured(card).map(({ measure }) => measure)).toEqual([
    "fact_retention",
    "general",
    "perplexity_drift",
  ]);
  expect(questionsOf(card)).toBe(40);
});

it("keeps what is beyond the line on it", () => {
  expect([placeOf(1.4), placeOf(-0.1), placeOf(0.25)]).toEqual([100, 0, 25]);
  expect(percent(0.884)).toBe("88%");
});

it("marks what guessing would reach, where one chooses", () => {
  expect(MEASURES.filter((measure) => chanceOf(measure) !== null)).toEqual([
    "fact_choice",
    "critic",
  ]);
  expect([chanceOf("fact_choice"), chanceOf("critic")]).toEqual([0.25, 0.5]);
});

it("shows each measure by who was asked, and leaves out what was not", () => {
  const card = {
    arms: {
      sft: { critic: figure(0.6), leak_rate: figure(0, 0, 0, 0) },
      base: { critic: figure(0.5), unheard_of: figure(1) },
      sft_retrieval: { critic: figure(0.7) },
    },
    verdict: { better: true, reasons: [] },
    against: "base",
  };
  const [only, ...rest] = byArm(card);
  expect(rest).toEqual([]);
  expect(only?.measure).toBe("critic");
  expect(only?.arms.map(({ arm }) => arm)).toEqual(["base", "sft", "sft_retrieval"]);
  expect(only?.arms.map(({ arm }) => reads(arm))).toEqual([false, false, true]);
});

it("draws a line from nothing to all, and further only where figures lie there", () => {
  expect(scaleOf([figure(0.2, 0.1, 0.3)])).toEqual({ low: 0, high: 1 });
  const scale = scaleOf([figure(-0.25, -0.5, 0.1), figure(0)]);
  expect(scale).toEqual({ low: -0.5, high: 1 });
  expect([placeIn(-0.5, scale), placeIn(0.25, scale), placeIn(2, scale)]).toEqual([0, 50, 100]);
});
