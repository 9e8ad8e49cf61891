import { expect, it } from "vitest";
import type { Growth, Job, Training } from "@/lib/api/types";
import { lastWeek } from "./weeks";

const week = (state: Job["state"], of: Partial<Growth> = {}): Growth =>
  ({ last: { state }, last_skipped: null, last_run: null, ...of }) as Growth;
const run = (id: string, in_use = false): Training => ({ id, in_use }) as Training;

it("says nothing of a week that is not over, or never was", () => {
  expect(lastWeek({ ...week("queued"), last: null }, [])).toBeNull();
  expect(lastWeek(week("queued"), [])).toBeNull();
  expect(lastWeek(week("running"), [run("t_1")])).toBeNull();
});

it("tells a week that failed from one that was stopped", () => {
  expect(lastWeek(week("failed"), [])).toEqual({ as: "failed" });
  expect(lastWeek(week("cancelled"), [])).toEqual({ as: "cancelled" });
});

it("says why a week was skipped", () => {
  expect(lastWeek(week("succeeded", { last_skipped: "on-battery" }), [])).toEqual({
    as: "skipped",
    why: "on-battery",
  });
});

it("knows whether what was learned is in use, waits, or was deleted since", () => {
  const learned = week("succeeded", { last_run: "t_2" });
  expect(lastWeek(learned, [run("t_2", true)])?.as).toBe("learned");
  expect(lastWeek(learned, [run("t_2"), run("t_1", true)])?.as).toBe("waits");
  expect(lastWeek(learned, [run("t_1", true)])).toEqual({ as: "deleted" });
});
