import { notifyManager, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it } from "vitest";
import { jobsQuery, useWhenWorkEnds } from "./jobs";
import type { Job } from "./types";

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
notifyManager.setScheduler((tell) => tell());

const job = (id: string, kind: string, ended_at: string | null): Job => ({
  id,
  kind,
  state: ended_at === null ? "running" : "succeeded",
  document: null,
  progress: 0,
  step: "",
  message: "",
  error: null,
  created_at: "2026-11-01T09:00:00Z",
  ended_at,
});

it("asks again for each end of its kind, also of work that was never seen running, and not for what had ended before", () => {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const said = (...items: Job[]): void =>
    act(() => void cache.setQueryData(jobsQuery.queryKey, { items, next_cursor: null }));
  let asked = 0;
  function Screen() {
    useWhenWorkEnds(() => (asked += 1), "export");
    return null;
  }
  const old = job("j_1", "export", "2026-11-01T09:00:01Z");
  said(old);
  const root = createRoot(document.createElement("div"));
  act(() =>
    root.render(
      <QueryClientProvider client={cache}>
        <Screen />
      </QueryClientProvider>,
    ),
  );
  expect(asked).toBe(0);
  said(job("j_2", "export", null), old);
  expect(asked).toBe(0);
  said(job("j_2", "export", "2026-11-01T09:00:02Z"), old);
  expect(asked).toBe(1);
  said(
    job("j_3", "export", "2026-11-01T09:00:03Z"),
    job("j_2", "export", "2026-11-01T09:00:02Z"),
    old,
  ); // began and ended between two looks
  expect(asked).toBe(2);
  said(job("j_3", "export", "2026-11-01T09:00:04Z"), old); // tried again
  expect(asked).toBe(3);
  said(job("j_4", "backup", "2026-11-01T09:00:05Z"), job("j_3", "export", "2026-11-01T09:00:04Z"));
  expect(asked).toBe(3);
  act(() => root.unmount());
});
