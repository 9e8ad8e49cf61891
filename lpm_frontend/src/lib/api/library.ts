/**
 * Looking through the library: filters, counts, places in a long list, and many documents at once.
 */
import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { offerUndo } from "../undo";
import { client, unwrap } from "./client";
import { refreshLibrary } from "./documents";
import type { BulkIn, BulkOut, Document, DocumentFilter } from "./types";

export const SORTS = ["added", "created", "title", "size"] as const;
export type Sort = (typeof SORTS)[number];

/** What the library shows: a filter, and an order. */
export interface View {
  readonly filter: Filter;
  readonly sort: Sort;
  readonly order: "asc" | "desc";
}
export type Filter = Readonly<
  Pick<
    DocumentFilter,
    "q" | "kind" | "state" | "tag" | "folder" | "since" | "until" | "parent" | "deleted" | "made_by"
  > & { private?: boolean }
>;

const PAGE = 100;
const FRESH_MS = 4_000;

/** Leave out what narrows nothing. */
const said = (filter: Filter): Filter =>
  Object.fromEntries(
    Object.entries(filter).filter(
      ([, value]) =>
        value !== "" && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  );
const asked = (filter: Filter): Filter => ({
  ...said(filter),
  ...(filter.private === undefined ? {} : { private: filter.private }),
});

/** Whether anything but looking at what was deleted narrows the list. */
export const isNarrowed = (filter: Filter): boolean =>
  Object.keys(asked(filter)).some((name) => name !== "deleted");

export const countsQuery = (filter: Filter) =>
  queryOptions({
    queryKey: ["documents", "counts", asked(filter)],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/documents/counts", { signal, params: { query: asked(filter) } })),
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
  });
export const useCounts = (filter: Filter) => useQuery(countsQuery(filter));

const pageQuery = ({ filter, sort, order }: View, page: number) =>
  queryOptions({
    queryKey: ["documents", "rows", asked(filter), sort, order, page],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/documents", {
          signal,
          params: {
            query: {
              ...asked(filter),
              sort,
              order,
              limit: PAGE,
              offset: page * PAGE,
              sentences: true,
            },
          },
        }),
      ),
    staleTime: FRESH_MS,
  });

export interface Rows {
  readonly at: (index: number) => Document | undefined;
  readonly error: unknown;
  readonly again: () => void;
  /** The first page has come. */
  readonly ready: boolean;
}

/** The documents of a stretch of the list; only the pages that it touches are asked for. */
export function useRows(view: View, first: number, last: number): Rows {
  const from = Math.floor(Math.max(0, first) / PAGE);
  const to = Math.floor(Math.max(0, last) / PAGE);
  const pages = Array.from({ length: to - from + 1 }, (_, n) => from + n);
  return useQueries({
    queries: pages.map((page) => pageQuery(view, page)),
    combine: (results) => {
      const held = new Map(results.map((result, n) => [from + n, result.data?.items] as const));
      return {
        at: (index: number) => held.get(Math.floor(index / PAGE))?.[index % PAGE],
        error: results.find((result) => result.isError && !result.data)?.error ?? null,
        again: () => results.forEach((result) => void result.refetch()),
        ready: results.some((result) => result.data !== undefined),
      };
    },
  });
}

/** The ids between two places of the list, for choosing them all. */
export function useRange(view: View): (first: number, last: number) => Promise<readonly string[]> {
  const cache = useQueryClient();
  return async (first, last) => {
    const [from, to] = first < last ? [first, last] : [last, first];
    const pages = Array.from(
      { length: Math.floor(to / PAGE) - Math.floor(from / PAGE) + 1 },
      (_, n) => Math.floor(from / PAGE) + n,
    );
    const held = await Promise.all(
      pages.map(async (page) => ({
        page,
        items: (await cache.query(pageQuery(view, page))).items,
      })),
    );
    return held.flatMap(({ page, items }) =>
      items
        .filter((_, n) => page * PAGE + n >= from && page * PAGE + n <= to)
        .map((document) => document.id),
    );
  };
}

/** Documents that came in an archive. */
export const useMembers = (parent: string, enabled: boolean) =>
  useQuery({
    queryKey: ["documents", "members", parent],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/documents", {
          signal,
          params: { query: { parent, limit: 200, sort: "title", order: "asc" } },
        }),
      ),
    enabled,
  });

export type Change = Omit<BulkIn, "ids" | "filter" | "put_back">;
export type Chosen = { readonly ids: readonly string[] } | { readonly filter: Filter };

const bulk = (body: BulkIn): Promise<BulkOut> =>
  unwrap(client.POST("/api/documents/bulk", { body }));
const reverse = (change: Change, done: BulkOut): BulkIn | null => {
  if (change.delete) return { ids: done.ids, restore: true };
  if (change.restore) return { ids: done.ids, delete: true };
  if (change.retry) return null;
  return { put_back: done.before };
};

/**
 * Do one thing to many documents, and offer the way back. `sentence` says what was done to how
 * many.
 */
export function useBulk() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({
      chosen,
      change,
    }: {
      chosen: Chosen;
      change: Change;
      sentence: (n: number) => string;
    }) =>
      bulk({
        ...("ids" in chosen ? { ids: [...chosen.ids] } : { filter: asked(chosen.filter) }),
        ...change,
      }),
    onSuccess: (done, { change, sentence }) => {
      const back = reverse(change, done);
      if (back && done.done > 0)
        offerUndo({
          sentence: sentence(done.done),
          undo: async () => {
            await bulk(back);
            await refreshLibrary(cache);
          },
        });
      return refreshLibrary(cache);
    },
  });
}
