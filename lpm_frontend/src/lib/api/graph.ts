/** The map of what is named together. */
import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";

/** As many as are drawn at once. */
const MOST = 400;
const REBUILDING_MS = 2_000;

export const graphQuery = (around: string) =>
  queryOptions({
    queryKey: ["graph", around],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/graph", {
          signal,
          params: { query: { limit: MOST, ...(around === "" ? {} : { around }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
/** The whole of it, or what lies around one; asked for again while it is drawn anew. */
export const useGraph = (around: string) =>
  useQuery({
    ...graphQuery(around),
    refetchInterval: (query) => (query.state.data?.state === "rebuilding" ? REBUILDING_MS : false),
  });

/** Draw it anew. */
export function useRebuild() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(client.POST("/api/graph/rebuild")),
    onSuccess: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: ["graph"] }),
        cache.invalidateQueries({ queryKey: ["jobs"] }),
      ]),
  });
}
