/** The profile: what is counted of the person's chats, and what they change in it. */
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";

const PAGE = 30;

export const profileQuery = (limit: number) =>
  queryOptions({
    queryKey: ["profile", "whole", limit],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/profile", { signal, params: { query: { limit } } })),
    placeholderData: keepPreviousData,
  });
export const useProfile = (limit: number) => useQuery(profileQuery(limit));

export const countedQuery = (line: string) =>
  infiniteQueryOptions({
    queryKey: ["profile", "turns", line],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        client.GET("/api/profile/{line}/turns", {
          signal,
          params: {
            path: { line },
            query: { limit: PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
  });
/** The turns that a line counts, the newest first, a page at a time. */
export const useCounted = (line: string) => useInfiniteQuery(countedQuery(line));

export interface LineChange {
  readonly line: string;
  readonly change: {
    readonly hidden?: boolean;
    readonly pinned?: boolean;
    readonly name?: string;
    readonly into?: string;
  };
}

/** Change a line; what comes back names the change, which can be taken back. */
export function useChangeLine() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ line, change }: LineChange) =>
      unwrap(client.PATCH("/api/profile/{line}", { params: { path: { line } }, body: change })),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["profile"] }),
  });
}

export function useUndoChange() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.DELETE("/api/profile/edits/{id}", { params: { path: { id } } })),
    onSettled: () => cache.invalidateQueries({ queryKey: ["profile"] }),
  });
}
