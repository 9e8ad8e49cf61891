import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "./client";

export const sampleQuery = queryOptions({
  queryKey: ["sample"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/sample", { signal })),
  refetchInterval: (query) => (query.state.data?.state === "starting" ? 700 : false),
});
/** How the sample life is; asked for only while somebody wants to know. */
export const useSample = (enabled: boolean) => useQuery({ ...sampleQuery, enabled });

export function useBeginSample() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(client.POST("/api/sample")),
    onSuccess: (sample) => cache.setQueryData(sampleQuery.queryKey, sample),
  });
}

export function useEndSample() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(client.DELETE("/api/sample")),
    onSettled: () => cache.invalidateQueries({ queryKey: sampleQuery.queryKey }),
  });
}

/** A link that opens it, once. */
export const useSampleLink = () =>
  useMutation({ mutationFn: () => unwrap(client.POST("/api/sample/link")) });
