import { expect, it } from "vitest";
import type { Training } from "@/lib/api/types";
import { firstOf, trainingHref, trainingWishOf } from "./views";

it("an address and what it asks for are the same thing", () => {
  expect(
    trainingWishOf(new URLSearchParams(trainingHref("versions", "t_1", "t_2").split("?")[1])),
  ).toEqual({ view: "versions", id: "t_1", beside: "t_2" });
});

it("an address that says nothing, or nonsense, is now", () => {
  expect(trainingWishOf(new URLSearchParams())).toEqual({ view: "now", id: "", beside: "" });
  expect(trainingWishOf(new URLSearchParams("view=elsewhere")).view).toBe("now");
});

it("a week is traced to the training that the first one went on from", () => {
  const run = (id: string, start?: string): Training =>
    ({ id, settings: start === undefined ? {} : { start } }) as unknown as Training;
  const [third, second, first] = [run("t_3", "t_2"), run("t_2", "t_1"), run("t_1")];
  expect(firstOf([third, second, first], third)).toBe(first);
  expect(firstOf([third, second], third)).toBe(second); // the first one was deleted
  expect(firstOf([first], first)).toBe(first);
});
