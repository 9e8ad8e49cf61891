/** The versions of a document: what it said before, what changed, what the person says of them. */
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "./client";
import { refreshLibrary } from "./documents";
import { whenRead } from "./reading";

/** Every version, the newest first, whichever of them is named. */
export const documentVersionsQuery = (id: string) =>
  queryOptions({
    queryKey: ["documents", "versions", id],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/documents/{id}/versions", { signal, params: { path: { id } } })),
  });
export const useDocumentVersions = (id: string) => useQuery(documentVersionsQuery(id));

/** What changed up to a version, since the one before it or since `before`. */
export const documentDiffQuery = (id: string, before = "") =>
  queryOptions({
    queryKey: ["documents", "diff", id, before],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/documents/{id}/diff", {
          signal,
          params: { path: { id }, query: before === "" ? {} : { before } },
        }),
      ),
    staleTime: 60_000,
  });
export const useDocumentDiff = (id: string, before = "") => useQuery(documentDiffQuery(id, before));

/** Make an older version the present one, as a new version. */
export function useUseAgain() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, version }: { id: string; version: string }) =>
      whenRead(
        await unwrap(
          client.POST("/api/documents/{id}/versions/restore", {
            params: { path: { id } },
            body: { version },
          }),
        ),
      ),
    onSuccess: () => refreshLibrary(cache),
  });
}

/** Say that a version, or what may be one, is another document. */
export function useSetApart() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.POST("/api/documents/{id}/apart", { params: { path: { id } } })),
    onSuccess: () => refreshLibrary(cache),
  });
}

/** Say that a document is the next version of another. */
export function useAddVersion() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, document }: { id: string; document: string }) =>
      unwrap(
        client.POST("/api/documents/{id}/versions", {
          params: { path: { id } },
          body: { document },
        }),
      ),
    onSuccess: () => refreshLibrary(cache),
  });
}
