import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";
import { jobsQuery } from "./jobs";
import { statusQuery } from "./status";
import type { Accepted, Document } from "./types";

const PAGE = 60;

/** `open`: without what is private. */
export const documentsQuery = (filter: string, open = false) =>
  infiniteQueryOptions({
    queryKey: ["documents", "list", filter, open],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        client.GET("/api/documents", {
          signal,
          params: {
            query: {
              limit: PAGE,
              ...(filter === "" ? {} : { q: filter }),
              ...(open ? { private: false } : {}),
              ...(pageParam === "" ? {} : { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
export const useDocuments = (filter = "", open = false) =>
  useInfiniteQuery(documentsQuery(filter, open));

/** One document; one that was deleted says so with `deleted_at`. */
export const documentQuery = (id: string) =>
  queryOptions({
    queryKey: ["documents", "one", id],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/documents/{id}", {
          signal,
          params: { path: { id }, query: { deleted: true } },
        }),
      ),
  });
export const useDocument = (id: string) => useQuery({ ...documentQuery(id), enabled: id !== "" });

/** A window of the canonical text; `start` and `end` count code points. */
export const textQuery = (id: string, start: number, end: number) =>
  queryOptions({
    queryKey: ["documents", "text", id, start, end],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/documents/{id}/text", {
          signal,
          params: { path: { id }, query: { start, end } },
        }),
      ),
    staleTime: 60_000,
  });

const MOST_AT_ONCE = 200_000;
/** Read a whole text, piece by piece. */
export async function readText(id: string, signal: AbortSignal): Promise<string> {
  const pieces: string[] = [];
  for (let start = 0; ;) {
    const window = await unwrap(
      client.GET("/api/documents/{id}/text", {
        signal,
        params: { path: { id }, query: { start, end: start + MOST_AT_ONCE } },
      }),
    );
    pieces.push(window.text);
    start = window.end;
    if (window.end >= window.length || window.text === "") return pieces.join("");
  }
}

export const passagesQuery = (id: string, limit: number) =>
  queryOptions({
    queryKey: ["documents", "passages", id, limit],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/documents/{id}/passages", {
          signal,
          params: { path: { id }, query: { limit } },
        }),
      ),
  });

const ERASED = ["erased"];

/** Nobody asks for these documents any more, though what shows them may stand a moment longer. */
export const noteErased = (cache: QueryClient, ids: readonly string[]) =>
  cache.setQueryData<readonly string[]>(ERASED, (known = []) => [...known, ...ids]);

/** After anything that changes the library. */
export function refreshLibrary(cache: QueryClient) {
  const erased = cache.getQueryData<readonly string[]>(ERASED) ?? [];
  return Promise.all([
    cache.invalidateQueries({
      queryKey: ["documents"],
      predicate: ({ queryKey }) => !erased.some((id) => queryKey.includes(id)),
    }),
    cache.invalidateQueries({ queryKey: jobsQuery.queryKey }),
    cache.invalidateQueries({ queryKey: statusQuery.queryKey }),
  ]);
}

export interface AddOptions {
  readonly title?: string;
  readonly created_at?: string;
  readonly tags?: readonly string[];
  readonly private?: boolean;
  /** The path that it came by, without its name. */
  readonly folder?: string;
}

/** Send one file as it is. The same bytes again answer with the document that is already known. */
export function addFile(file: File, options: AddOptions = {}): Promise<Accepted> {
  const form = new FormData();
  form.set("file", file, file.name);
  if (options.title) form.set("title", options.title);
  if (options.created_at) form.set("created_at", options.created_at);
  if (options.tags && options.tags.length > 0) form.set("tags", options.tags.join(","));
  if (options.private) form.set("private", "true");
  if (options.folder) form.set("folder", options.folder);
  return unwrap(
    client.POST("/api/documents", { body: { file: file.name }, bodySerializer: () => form }),
  );
}

export const addText = (
  text: string,
  { tags = [], ...options }: AddOptions = {},
): Promise<Accepted> =>
  unwrap(client.POST("/api/documents", { body: { ...options, text, tags: [...tags] } }));

export type DocumentChange = Partial<Pick<Document, "title" | "tags" | "private">> & {
  created_at?: string;
  folder?: string;
};

export function useChangeDocument() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change }: { id: string; change: DocumentChange }) =>
      unwrap(client.PATCH("/api/documents/{id}", { params: { path: { id } }, body: change })),
    onSuccess: () => refreshLibrary(cache),
  });
}

export function useDeleteDocument() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.DELETE("/api/documents/{id}", { params: { path: { id } } })),
    // The screens that show it are gone by the next turn of the loop; then nothing of it stays in
    // this page.
    onSuccess: (_nothing, id) => {
      setTimeout(() => {
        cache.removeQueries({
          predicate: ({ queryKey }) => queryKey[0] === "documents" && queryKey[2] === id,
        });
        void refreshLibrary(cache);
      }, 0);
    },
  });
}

export function useRestoreDocument() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.POST("/api/documents/{id}/restore", { params: { path: { id } } })),
    onSuccess: () => refreshLibrary(cache),
  });
}

/** The pages that can be shown as pictures. */
export const pagesQuery = (id: string) =>
  queryOptions({
    queryKey: ["documents", "pages", id],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/documents/{id}/pages", { signal, params: { path: { id } } })),
    staleTime: 300_000,
    retry: false,
  });

/** Where a stretch stands on a page. */
export const placesQuery = (id: string, page: number, start: number, end: number) =>
  queryOptions({
    queryKey: ["documents", "places", id, page, start, end],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/documents/{id}/pages/{page}/places", {
          signal,
          params: { path: { id, page }, query: { start, end } },
        }),
      ),
    staleTime: 300_000,
    retry: false,
  });

/** A page as a picture, `width` pixels wide. */
export const pictureHref = (id: string, page: number, width: number): string =>
  `/api/documents/${encodeURIComponent(id)}/pages/${page}?width=${width}`;
/** A recording, to be played. */
export const soundHref = (id: string): string => `/api/documents/${encodeURIComponent(id)}/sound`;

/** Where the original can be taken from, byte for byte. */
export const originalHref = (id: string): string =>
  `/api/documents/${encodeURIComponent(id)}/original`;
