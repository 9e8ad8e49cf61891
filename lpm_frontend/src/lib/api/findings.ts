import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import { useCallback } from "react";
import { client, unwrap } from "./client";
import { refreshLibrary } from "./documents";
import type { Decision, Finding } from "./types";

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

/** Much was decided at once; what is on the screen besides is fetched anew. */
export function useDecided(): () => void {
  const cache = useQueryClient();
  return useCallback(() => void decided(cache), [cache]);
}

/** How many of what waits stand on a page. */
export const REVIEWED = 50;

/** A page of all that waits, behind as many as were left open. */
export const waitingPage = (behind: number, signal?: AbortSignal) =>
  unwrap(
    client.GET("/api/findings", {
      ...(signal ? { signal } : {}),
      params: { query: { every: true, limit: REVIEWED, cursor: String(behind) } },
    }),
  );

/** Decide about many in one step. */
export const decideMany = (
  items: readonly (Pick<Finding, "id" | "content"> & { decision: "keep" | "dismiss" })[],
) => unwrap(client.POST("/api/findings/bulk", { body: { items: [...items] } }));

/** Take many decisions back in one step. */
export const takeBackMany = (items: readonly { id: string; at: string }[]) =>
  unwrap(client.POST("/api/findings/bulk/undo", { body: { items: [...items] } }));

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
