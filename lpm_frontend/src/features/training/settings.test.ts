import { expect, it } from "vitest";
import { wishOf } from "./settings";

it("asks for what was written, and for nothing that was not", () => {
  expect(wishOf({})).toEqual({});
  expect(wishOf({ epochs: " 2 ", rank: "", precision: "auto" })).toEqual({ epochs: 2 });
  expect(wishOf({ learning_rate: "1e-4", precision: "bfloat16" })).toEqual({
    learning_rate: 1e-4,
    precision: "bfloat16",
  });
  expect(wishOf({ wording: "templates" })).toEqual({});
  expect(wishOf({ wording: "model" })).toEqual({ wording: "model" });
  expect(wishOf({ wording: "endpoint" })).toEqual({ wording: "endpoint" });
  expect(wishOf({ reasoning: "none" })).toEqual({});
  expect(wishOf({ reasoning: "multi" })).toEqual({ reasoning: "multi" });
});
