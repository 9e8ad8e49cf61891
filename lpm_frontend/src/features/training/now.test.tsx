/** What stands on the page of trainings, by how the newest one stands. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it } from "vitest";
import { trainingsQuery, trainingStateQuery } from "@/lib/api/training";
import type { Course, Growth, Job, Training, TrainingState } from "@/lib/api/types";
import { Now } from "./now";

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
// what this imitation of a browser lacks
Element.prototype.scrollIntoView = () => undefined;
globalThis.matchMedia = () =>
  ({
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }) as unknown as MediaQueryList;

const nowhere = (): void => undefined;
const ROUTER = {
  back: nowhere,
  forward: nowhere,
  refresh: nowhere,
  push: nowhere,
  replace: nowhere,
  prefetch: nowhere,
} as unknown as NonNullable<React.ContextType<typeof AppRouterContext>>;

const RUN = {
  id: "t_3",
  number: 3,
  in_use: false,
  lost: false,
  created_at: "2026-03-14T09:00:00Z",
  audience: "anybody",
  settings: {},
  rows: { fact: 40 },
  pairs: null,
  left_out: {},
  worded: null,
  thought: null,
  memories: 12,
  hashes: {},
  estimate: null,
  outcome: null,
  scorecard: null,
  error: null,
  job: null,
  merging: null,
  merged: [],
} as unknown as Training;
const STATE = {
  in_use: null,
  insisted: false,
  memories: 12,
  left_out: {},
  base: "base@1",
  problem: null,
  defaults: {
    dpo: false,
    on_policy: false,
    wording: "templates",
    reasoning: "none",
    thoughts: "rules",
    precision: "auto",
    device: "auto",
    epochs: 3,
  },
} as unknown as TrainingState;
const GROWTH = {
  schedule: "weekly",
  day: "sunday",
  next_at: null,
  cannot: null,
  last: null,
  last_skipped: null,
  last_run: null,
} as unknown as Growth;
const COURSE: Course = {
  state: "stopped",
  step: 8,
  of: 20,
  seconds_left: null,
  steps: [],
  samples: [],
};
const job = (of: Partial<Job>): Job => ({ state: "running", progress: 0, step: "", ...of }) as Job;

let leave: () => void = nowhere;
afterEach(() => act(() => leave()));

async function shown(run: Partial<Training> | null, of: Partial<TrainingState> = {}) {
  const cache = new QueryClient({
    defaultOptions: { queries: { staleTime: Infinity, retry: false } },
  });
  const items = run === null ? [] : [{ ...RUN, ...run }];
  cache.setQueryData(trainingsQuery.queryKey, { items, next_cursor: null });
  cache.setQueryData(trainingStateQuery.queryKey, { ...STATE, ...of });
  cache.setQueryData(["training", "growth"], GROWTH);
  for (const each of items)
    cache.setQueryData(["training", "progress", each.id, each.state], COURSE);
  const page = document.createElement("div");
  document.body.append(page);
  const root = createRoot(page);
  leave = () => {
    root.unmount();
    page.remove();
    cache.clear();
  };
  await act(async () => {
    root.render(
      <AppRouterContext value={ROUTER}>
        <QueryClientProvider client={cache}>
          <Now id="" />
        </QueryClientProvider>
      </AppRouterContext>,
    );
    await Promise.resolve();
  });
  return page;
}
const button = (page: HTMLElement, words: RegExp): HTMLButtonElement | undefined =>
  [...page.querySelectorAll("button")].find((each) => words.test(each.textContent));
const words = (page: HTMLElement): string => page.textContent;

it.each([
  ["a model that cannot be trained", null, { problem: "It is at an endpoint." }],
  ["too few memories", null, { memories: 1 }],
  ["an offer", null, {}],
  ["one that is prepared", { state: "prepared" }, {}],
  ["one that learns", { state: "working" }, {}],
  ["one that stopped", { state: "stopped" }, {}],
  ["one out of service", { state: "tainted" }, {}],
] as const)("what comes every week stands under %s", async (_, run, of) => {
  const page = await shown(run, of);
  expect(page.querySelector(".training-weekly h2")?.textContent).toBe("Every week");
});

it("says how much a model has written, and lets one stop it", async () => {
  const page = await shown({ state: "prepared", job: job({ step: "word", progress: 0.01 }) });
  expect(words(page)).toContain("A model is writing the questions, 25%");
  expect(page.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow")).toBe("25");
  expect(button(page, /^Stop$/u)?.disabled).toBe(false);
  expect(button(page, /^Start training$/u)?.disabled).toBe(true);
});

it("says why it could not be measured, and measures again at once", async () => {
  const error = {
    title: "Not enough memory",
    detail: "It needs 9 GB.",
    hint: "Take a lower rank.",
  };
  const page = await shown({ state: "prepared", error });
  expect(page.querySelector("[role=alert]")?.textContent).toMatch(/Take a lower rank\./u);
  expect(button(page, /^Measure again$/u)?.disabled).toBe(false);
});

it("can be stopped whatever works at it", async () => {
  expect(button(await shown({ state: "working" }), /^Stop$/u)?.disabled).toBe(false);
  act(() => leave());
  const week = job({ kind: "grow", step: "learn" });
  expect(button(await shown({ state: "working", job: week }), /^Stop$/u)?.disabled).toBe(false);
});

it("what stopped goes on or is discarded, which is asked twice", async () => {
  const page = await shown({ state: "stopped" });
  expect(button(page, /^Continue$/u)).toBeDefined();
  act(() => button(page, /^Discard$/u)?.click());
  expect(document.activeElement?.textContent).toBe("Keep it");
  expect(words(page)).toContain("Delete training 3?");
});

it("tells what was erased from what did not come back with a backup", async () => {
  const erased = await shown({ state: "tainted" });
  expect(words(erased)).toContain("was erased");
  expect(button(erased, /^Train again without it$/u)).toBeDefined();
  act(() => leave());
  const restored = await shown({ state: "tainted", lost: true });
  expect(words(restored)).toContain("did not come back with the backup");
  expect(button(restored, /^Train again$/u)).toBeDefined();
});

it("offers to learn again what was learned, with the same choices", async () => {
  const settings = { dpo: true, wording: "model", reasoning: "weak", epochs: 5, documents: "own" };
  const page = await shown({ state: "tainted", settings });
  expect(words(page)).toContain("4 changed");
  const chosen = [...page.querySelectorAll<HTMLInputElement>("input[type=radio]:checked")];
  expect(chosen.map(({ value }) => value)).toEqual(
    expect.arrayContaining(["yes", "model", "weak"]),
  );
  expect(page.querySelector<HTMLInputElement>(".own-documents input")?.checked).toBe(true);
});
