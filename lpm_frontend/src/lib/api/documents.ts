import { infiniteQueryOptions, queryOptions, useInfiniteQuery, useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { client, problemFrom, silence, unwrap } from "./client";
import { jobsQuery } from "./jobs";
import { statusQuery } from "./status";
import type { Accepted, Document } from "./types";

const PAGE = 60;

export const documentsQuery = (filter: string) =>
  infiniteQueryOptions({
    queryKey: ["documents", "list", filter],
    queryFn: ({ signal, pageParam }) =>
      unwrap(client.GET("/api/documents", { signal, params: { query: { limit: PAGE, ...(filter === "" ? {} : { q: filter }), ...(pageParam === "" ? {} : { cursor: pageParam }) } } })),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
export const useDocuments = (filter = "") => useInfiniteQuery(documentsQuery(filter));

export const documentQuery = (id: string) =>
  queryOptions({ queryKey: ["documents", "one", id], queryFn: ({ signal }) => unwrap(client.GET("/api/documents/{id}", { signal, params: { path: { id } } })) });
export const useDocument = (id: string) => useQuery({ ...documentQuery(id), enabled: id !== "" });

/** A window of the canonical text; `start` and `end` count code points. */
export const textQuery = (id: string, start: number, end: number) =>
  queryOptions({
    queryKey: ["documents", "text", id, start, end],
    queryFn: ({ signal }) => unwrap(client.GET("/api/documents/{id}/text", { signal, params: { path: { id }, query: { start, end } } })),
    staleTime: 60_000,
  });

export const passagesQuery = (id: string, limit: number) =>
  queryOptions({
    queryKey: ["documents", "passages", id, limit],
    queryFn: ({ signal }) => unwrap(client.GET("/api/documents/{id}/passages", { signal, params: { path: { id }, query: { limit } } })),
  });

/** After anything that changes the library. */
export const refreshLibrary = (cache: QueryClient) =>
  Promise.all([cache.invalidateQueries({ queryKey: ["documents"] }), cache.invalidateQueries({ queryKey: jobsQuery.queryKey }), cache.invalidateQueries({ queryKey: statusQuery.queryKey })]);

export interface AddOptions {
  readonly title?: string;
  readonly created_at?: string;
  readonly tags?: readonly string[];
  readonly private?: boolean;
}

/** Hand something over. The contract describes the answer; the body is a form or JSON, which one description cannot say. */
async function handOver(init: RequestInit): Promise<Accepted> {
  let response: Response;
  try {
    response = await fetch("/api/documents", { method: "POST", credentials: "same-origin", ...init });
  } catch {
    throw silence();
  }
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw problemFrom(response.status, body);
  return body as Accepted;
}

/** Send one file as it is. The same bytes again answer with the document that is already known. */
export function addFile(file: File, options: AddOptions = {}): Promise<Accepted> {
  const form = new FormData();
  form.set("file", file, file.name);
  if (options.title) form.set("title", options.title);
  if (options.created_at) form.set("created_at", options.created_at);
  if (options.tags && options.tags.length > 0) form.set("tags", options.tags.join(","));
  if (options.private) form.set("private", "true");
  return handOver({ body: form });
}

export const addText = (text: string, options: AddOptions = {}): Promise<Accepted> => handOver({ headers: { "content-type": "application/json" }, body: JSON.stringify({ text, ...options }) });

export type DocumentChange = Partial<Pick<Document, "title" | "tags" | "private">> & { created_at?: string };

export function useChangeDocument() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change }: { id: string; change: DocumentChange }) => unwrap(client.PATCH("/api/documents/{id}", { params: { path: { id } }, body: change })),
    onSuccess: () => refreshLibrary(cache),
  });
}

export function useDeleteDocument() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => unwrap(client.DELETE("/api/documents/{id}", { params: { path: { id } } })),
    // The screens that show it are gone by the next turn of the loop; then nothing of it stays in this page.
    onSuccess: (_nothing, id) => {
      setTimeout(() => {
        cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] === "documents" && queryKey[2] === id });
        void refreshLibrary(cache);
      }, 0);
    },
  });
}

/** Where the original can be taken from, byte for byte. */
export const originalHref = (id: string): string => `/api/documents/${encodeURIComponent(id)}/original`;
