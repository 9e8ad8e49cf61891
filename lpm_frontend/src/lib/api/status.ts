import { queryOptions, useQuery } from "@tanstack/react-query";
import { client, unwrap } from "./client";

export const statusQuery = queryOptions({
  queryKey: ["status"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/status", { signal })),
  // A model that is starting, a job that ended, a byte that left: the foot of the spine must not be
  // older than this.
  refetchInterval: (query) =>
    query.state.status === "error" || query.state.data?.model.state === "starting" ? 2_000 : 10_000,
});
export const useStatus = () => useQuery(statusQuery);

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/health", { signal })),
  staleTime: 10_000,
});
export const useHealth = () => useQuery(healthQuery);
