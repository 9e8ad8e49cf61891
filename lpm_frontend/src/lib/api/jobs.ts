import { useEffect, useRef } from "react";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "./client";
import type { Job } from "./types";

const isRunning = (job: Job): boolean => job.state === "queued" || job.state === "running";

export const jobsQuery = queryOptions({
  queryKey: ["jobs"],
  queryFn: ({ signal }) =>
    unwrap(client.GET("/api/jobs", { signal, params: { query: { limit: 100 } } })),
  refetchInterval: (query) => ((query.state.data?.items ?? []).some(isRunning) ? 900 : 15_000),
});

/** Everything that runs or ended lately, newest first. */
export const useJobs = () => useQuery(jobsQuery);
export { isRunning };

/**
 * Ask again when work of a kind, or of any, has ended; also work that came and went between two
 * looks.
 */
export function useWhenWorkEnds(again: () => unknown, kind = ""): void {
  const { data } = useJobs();
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (!data) return;
    // With its moment: work that is tried again ends twice.
    const ended = new Set(
      data.items.flatMap((job) =>
        job.ended_at !== null && (kind === "" || job.kind === kind)
          ? [`${job.id} ${job.ended_at}`]
          : [],
      ),
    );
    const before = known.current;
    known.current = ended;
    if (before && [...ended].some((each) => !before.has(each))) again();
  }, [again, data, kind]);
}

export function useCancelJob() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.POST("/api/jobs/{id}/cancel", { params: { path: { id } } })),
    onSettled: () => cache.invalidateQueries({ queryKey: jobsQuery.queryKey }),
  });
}

export function useRetryJob() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.POST("/api/jobs/{id}/retry", { params: { path: { id } } })),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: jobsQuery.queryKey }),
        cache.invalidateQueries({ queryKey: ["documents"] }),
      ]),
  });
}

/** Everything that failed and was not done since. */
export function useRetryAll() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(client.POST("/api/jobs/retry")),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: jobsQuery.queryKey }),
        cache.invalidateQueries({ queryKey: ["documents"] }),
      ]),
  });
}
