/** Tables at which several talk: opening one, watching it, speaking at it. */
import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { client, problemFrom, silence, unwrap } from "./client";
import { isObject } from "./json";
import { readEvents } from "./sse";
import { statusQuery } from "./status";
import type { DiscussionDetail, DiscussionEvent, DiscussionWish, TableAcceptance } from "./types";

const PAGE = 30;
const KEY = ["discussions"] as const;
/** How often something is looked at again that nobody watches. */
const LOOK_MS = 10_000;

export const tablesQuery = infiniteQueryOptions({
  queryKey: [...KEY, "list"],
  queryFn: ({ signal, pageParam }) =>
    unwrap(
      client.GET("/api/discussions", {
        signal,
        params: { query: { limit: PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) } },
      }),
    ),
  initialPageParam: "",
  getNextPageParam: (page) => page.next_cursor ?? undefined,
  // a contact may ask to one while the list is open
  refetchInterval: (query) => (query.state.data?.pages[0]?.with_contacts ? LOOK_MS : false),
});
export const useTables = () => useInfiniteQuery(tablesQuery);

export const useReadyTables = (language: "en" | "ja") =>
  useQuery({
    queryKey: [...KEY, "ready", language],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/discussions/ready", { signal, params: { query: { language } } })),
    staleTime: Infinity,
  });

const tableQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, "one", id],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/discussions/{id}", { signal, params: { path: { id } } })),
  });

/** Whether a table ended and is there still: then nothing tells of what is struck or erased. */
const isQuiet = (known: DiscussionDetail | undefined): boolean =>
  known?.state === "closed" && known.items.length > 0;

/** Whether the person sat down at a contact's table whose host has not let them in yet. */
export const isComing = (table: DiscussionDetail | undefined): boolean =>
  table?.invitation === "accepted" &&
  table.state !== "closed" &&
  table.members.every(({ mine, state }) => mine === false || state === "coming");

export const useTable = (id: string) =>
  useQuery({
    ...tableQuery(id),
    refetchInterval: ({ state }) => (isQuiet(state.data) || isComing(state.data) ? LOOK_MS : false),
    refetchOnWindowFocus: ({ state }) => (isQuiet(state.data) ? "always" : false),
  });

export function useOpenTable() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (wish: DiscussionWish) => unwrap(client.POST("/api/discussions", { body: wish })),
    onSuccess: (made) => {
      cache.setQueryData(tableQuery(made.id).queryKey, made);
      return cache.invalidateQueries({ queryKey: tablesQuery.queryKey });
    },
  });
}

/** Put what is known of a table in, unless more of it is known already. */
function take(cache: QueryClient, made: DiscussionDetail): void {
  cache.setQueryData(tableQuery(made.id).queryKey, (known) =>
    known && known.items.length > made.items.length ? known : made,
  );
  void cache.invalidateQueries({ queryKey: tablesQuery.queryKey });
}

/**
 * Forget what was said at a deleted table. Its query stays, closed and empty, as the page that
 * shows it would ask for it anew otherwise, and watch on.
 */
function empty(cache: QueryClient, id: string): void {
  cache.setQueryData(tableQuery(id).queryKey, (known) =>
    known ? { ...known, state: "closed" as const, aim: "", members: [], items: [] } : known,
  );
}

export interface Saying {
  readonly text: string;
  readonly by?: string;
  readonly on?: number;
  readonly stance?: "agrees" | "disagrees";
}

/** What the person does at a table. */
export function useAtTable(id: string) {
  const cache = useQueryClient();
  const at = { params: { path: { id } } } as const;
  const entry = (n: number) => ({ params: { path: { id, n } } }) as const;
  const onSuccess = (made: DiscussionDetail): void => take(cache, made);
  const answered = (made: DiscussionDetail): void => {
    take(cache, made);
    void cache.invalidateQueries({ queryKey: statusQuery.queryKey }); // it does not wait any more
  };
  return {
    say: useMutation({
      mutationFn: (said: Saying) =>
        unwrap(client.POST("/api/discussions/{id}/turns", { ...at, body: { ...said } })),
      onSuccess,
    }),
    pause: useMutation({
      mutationFn: () => unwrap(client.POST("/api/discussions/{id}/pause", at)),
      onSuccess,
    }),
    resume: useMutation({
      mutationFn: () => unwrap(client.POST("/api/discussions/{id}/resume", at)),
      onSuccess,
    }),
    close: useMutation({
      mutationFn: () => unwrap(client.POST("/api/discussions/{id}/close", at)),
      onSuccess,
    }),
    leave: useMutation({
      mutationFn: (member: string) =>
        unwrap(
          client.POST("/api/discussions/{id}/members/{member}/leave", {
            params: { path: { id, member } },
          }),
        ),
      onSuccess,
    }),
    strike: useMutation({
      mutationFn: (n: number) =>
        unwrap(client.POST("/api/discussions/{id}/turns/{n}/strike", entry(n))),
      onSuccess,
    }),
    keep: useMutation({
      mutationFn: (n: number) =>
        unwrap(client.POST("/api/discussions/{id}/turns/{n}/keep", entry(n))),
      onSuccess: () => cache.invalidateQueries({ queryKey: tableQuery(id).queryKey }),
    }),
    letGo: useMutation({
      mutationFn: (n: number) =>
        unwrap(client.DELETE("/api/discussions/{id}/turns/{n}/keep", entry(n))),
      onSuccess: () => cache.invalidateQueries({ queryKey: tableQuery(id).queryKey }),
    }),
    accept: useMutation({
      mutationFn: (given: TableAcceptance) =>
        unwrap(client.POST("/api/discussions/{id}/accept", { ...at, body: given })),
      onSuccess: answered,
    }),
    decline: useMutation({
      mutationFn: () => unwrap(client.POST("/api/discussions/{id}/decline", at)),
      onSuccess: answered,
    }),
    remove: useMutation({
      mutationFn: () => unwrap(client.DELETE("/api/discussions/{id}", at)),
      onSuccess: () => {
        empty(cache, id);
        void cache.invalidateQueries({ queryKey: statusQuery.queryKey });
        return cache.invalidateQueries({ queryKey: tablesQuery.queryKey });
      },
    }),
  };
}

export const tableExportHref = (id: string): string =>
  `/api/discussions/${encodeURIComponent(id)}/export`;

const isNews = (told: unknown): told is DiscussionEvent =>
  isObject(told) &&
  told["event"] === "entry" &&
  isObject(told["data"]) &&
  isObject(told["data"]["discussion"]) &&
  isObject(told["data"]["entry"]);

async function* news(
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<DiscussionEvent["data"]> {
  let response: Response;
  try {
    response = await fetch(
      `/api/discussions/${encodeURIComponent(id)}/events?after=${after.toString()}`,
      { credentials: "same-origin", headers: { accept: "text/event-stream" }, signal },
    );
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw silence();
  }
  if (!response.ok || response.body === null)
    throw problemFrom(response.status, await response.json().catch(() => null));
  for await (const { event, data } of readEvents(response.body)) {
    const parsed: unknown = JSON.parse(data);
    const told: unknown = { event, data: parsed };
    if (isNews(told)) yield told.data;
  }
}

/** How long is waited before a table is watched anew. */
const AGAIN_MS = 1_000;

/**
 * Follow a table as it goes on, entry by entry; say whether the node answers. Nothing is watched
 * once it is closed.
 */
export function useWatchedTable(id: string, open: boolean): boolean {
  const cache = useQueryClient();
  const [silent, setSilent] = useState(false);
  useEffect(() => {
    if (!open) return undefined;
    const stop = new AbortController();
    const key = tableQuery(id).queryKey;
    const watch = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const known = cache.getQueryData(key)?.items.length ?? 0;
        try {
          for await (const { discussion, entry } of news(id, known - 1, stop.signal)) {
            setSilent(false);
            cache.setQueryData(key, (now) =>
              now?.items.length === entry.n
                ? { ...now, ...discussion, items: [...now.items, entry] }
                : now,
            );
            // words that were struck go from what is on screen, too
            if (entry.step === "struck") await cache.invalidateQueries({ queryKey: key });
          }
          setSilent(false);
        } catch {
          setSilent(!stop.signal.aborted);
        }
        await new Promise((again) => setTimeout(again, AGAIN_MS));
      }
    };
    void watch();
    return () => stop.abort();
  }, [cache, id, open]);
  return silent && open;
}
