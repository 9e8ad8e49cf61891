/**
 * Statements that the person wrote or kept: what is believed, what was, and how it comes to read
 * otherwise.
 */
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import type { StatementKind } from "../statement";
import { client, unwrap } from "./client";
import { refreshLibrary } from "./documents";
import { whenRead } from "./reading";
import type { MemoryChange, MemoryWish } from "./types";

const PAGE = 50;
/** What was believed once comes on one page. */
const MOST_THEN = 500;

export interface MemoryFilter {
  readonly kinds: readonly StatementKind[];
  readonly about: string;
  readonly words: string;
  /** A moment as the API takes it; empty for now. */
  readonly asOf: string;
  /** What is believed no more, instead. */
  readonly forgotten: boolean;
}

export const memoriesQuery = ({ kinds, about, words, asOf, forgotten }: MemoryFilter) =>
  infiniteQueryOptions({
    queryKey: ["memories", "list", kinds, about, words, asOf, forgotten],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        client.GET("/api/memories", {
          signal,
          params: {
            query: {
              limit: asOf === "" ? PAGE : MOST_THEN,
              ...(kinds.length === 0 ? {} : { kind: [...kinds] }),
              ...(about === "" ? {} : { entity: about }),
              ...(words === "" ? {} : { q: words }),
              ...(asOf === "" ? {} : { as_of: asOf }),
              ...(forgotten ? { forgotten } : {}),
              ...(pageParam === "" ? {} : { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
/** What is believed, newest first, a page at a time. */
export const useMemories = (filter: MemoryFilter) =>
  useInfiniteQuery({
    ...memoriesQuery(filter),
    refetchInterval: (query) => (query.state.status === "success" ? WRITTEN_ELSEWHERE_MS : false),
  });

/** Whether anything was forgotten: asked for where nothing is believed. */
export const useAnyForgotten = (enabled: boolean) =>
  useQuery({
    queryKey: ["memories", "forgotten"],
    queryFn: async ({ signal }) =>
      (
        await unwrap(
          client.GET("/api/memories", { signal, params: { query: { limit: 1, forgotten: true } } }),
        )
      ).items.length > 0,
    enabled,
  });

/** One memory, with everything that it said before. */
export const memoryQuery = (id: string) =>
  queryOptions({
    queryKey: ["memories", "one", id],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/memories/{id}", { signal, params: { path: { id } } })),
  });
export const useMemory = (id: string) => useQuery({ ...memoryQuery(id), enabled: id !== "" });

/**
 * An editor, a command or another program may write to the workspace while the list is on screen.
 */
const WRITTEN_ELSEWHERE_MS = 4_000;
const refresh = (cache: QueryClient) =>
  Promise.all([
    cache.invalidateQueries({ queryKey: ["memories"] }),
    cache.invalidateQueries({ queryKey: ["recall"] }),
    refreshLibrary(cache),
  ]);

/** Keep a statement: in parts, or as a line with its id, which brings a forgotten one back. */
export function useRetain() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (body: MemoryWish) =>
      whenRead(await unwrap(client.POST("/api/memories", { body }))),
    onSuccess: () => refresh(cache),
  });
}

/** Have it read otherwise. */
export function useReword() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, change }: { id: string; change: MemoryChange }) =>
      whenRead(
        await unwrap(
          client.PATCH("/api/memories/{id}", { params: { path: { id } }, body: change }),
        ),
      ),
    onSuccess: () => refresh(cache),
  });
}

/** Take its line out of its file. */
export function useForget() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) =>
      whenRead(await unwrap(client.DELETE("/api/memories/{id}", { params: { path: { id } } }))),
    onSuccess: () => refresh(cache),
  });
}
