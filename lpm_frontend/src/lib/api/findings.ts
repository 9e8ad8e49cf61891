import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";
import { refreshLibrary } from "./documents";
import type { Decision } from "./types";

const KEY = ["findings"];

/**
 * What was found and not decided about yet, the newest documents first. Asked for again when more
 * has been read.
 */
export const findingsQuery = (limit: number, read: number) =>
  queryOptions({
    queryKey: [...KEY, limit, read],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/findings", { signal, params: { query: { limit } } })),
    placeholderData: keepPreviousData,
  });
export const useFindings = (limit: number, read: number) => useQuery(findingsQuery(limit, read));

/** After a decision: answers that rest on the sentence say so. */
const decided = (cache: QueryClient) =>
  Promise.all([
    cache.invalidateQueries({ queryKey: KEY }),
    cache.invalidateQueries({ queryKey: ["conversations", "one"] }),
    refreshLibrary(cache),
  ]);

/** Keep, mend or forget. */
export function useDecide() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, decision, content = "" }: Decision & { id: string }) =>
      unwrap(
        client.POST("/api/findings/{id}", {
          params: { path: { id } },
          body: { decision, content },
        }),
      ),
    onSuccess: () => decided(cache),
  });
}

/** Keep, mend or forget the words at a place. */
export function useDecideAt() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: Decision & { document: string; start: number; end: number }) =>
      unwrap(client.POST("/api/findings", { body: { content: "", ...body } })),
    onSuccess: () => decided(cache),
  });
}

/** Take a decision back. */
export function useUndecide() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.DELETE("/api/findings/{id}", { params: { path: { id } } })),
    onSuccess: () => decided(cache),
  });
}
