import { expect, it } from "vitest";
import type { Training } from "@/lib/api/types";
import { firstOf, trainingHref, trainingWishOf, wayBack } from "./views";

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

it("what was in use takes its place again, against its scorecard where it did not win", () => {
  const run = (id: string, in_use: boolean, better?: boolean): Training =>
    ({
      id,
      in_use,
      scorecard: better === undefined ? null : { verdict: { better, reasons: [] } },
    }) as unknown as Training;
  expect(wayBack([run("t_3", true, true), run("t_1", false, true)], "t_1")).toEqual({
    id: "t_3",
    insist: false,
  });
  expect(wayBack([run("t_3", true, false), run("t_1", false)], "t_1")).toEqual({
    id: "t_3",
    insist: true,
  });
  expect(wayBack([run("t_2", true), run("t_1", false)], "t_1")?.insist).toBe(false);
  expect(wayBack([run("t_2", false), run("t_1", false)], "t_1")).toBeNull(); // the base was
});
