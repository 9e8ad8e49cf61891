import { expect, it } from "vitest";
import { trainingHref, trainingWishOf } from "./views";

it("an address and what it asks for are the same thing", () => {
  expect(
    trainingWishOf(new URLSearchParams(trainingHref("versions", "t_1", "t_2").split("?")[1])),
  ).toEqual({ view: "versions", id: "t_1", beside: "t_2" });
});

it("an address that says nothing, or nonsense, is now", () => {
  expect(trainingWishOf(new URLSearchParams())).toEqual({ view: "now", id: "", beside: "" });
  expect(trainingWishOf(new URLSearchParams("view=elsewhere")).view).toBe("now");
});
