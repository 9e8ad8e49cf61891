import { notifyManager, QueryClient } from "@tanstack/react-query";
import { NodeProblem } from "./client";

/*
 * A screen follows what it was told before the next key or press is looked at. The library's own
 * timer runs after input that waits: a box pressed twice on a busy machine still showed the old
 * value at the second press, which then said the same thing again.
 */
notifyManager.setScheduler(queueMicrotask);

/** What the screens know of the node, and when they ask again. */
export const makeCache = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // The node is on this machine: whether there is a network says nothing about it.
        networkMode: "always",
        staleTime: 2_000,
        retry: (times, error) =>
          times < 1 && error instanceof NodeProblem && error.kind === "silent",
        retryDelay: 400,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
