import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { keepChoice } from "../choice";
import { client, unwrap } from "./client";
import { noteErased, refreshLibrary } from "./documents";
import { jobsQuery } from "./jobs";
import type { Job } from "./types";

/** Say what erasing a document would take away, and get the token that does it. */
export const useProposeErasure = () =>
  useMutation({
    mutationFn: (documents: readonly string[]) =>
      unwrap(client.POST("/api/erasures", { body: { documents: [...documents] } })),
  });

/** The same for all documents and all conversations. */
export const useProposeAll = () =>
  useMutation({
    mutationFn: () => unwrap(client.POST("/api/erasures", { body: { everything: true } })),
  });

export const sizesQuery = queryOptions({
  queryKey: ["sizes"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/sizes", { signal })),
  staleTime: 5_000,
});
export const useSizes = (enabled = true) => useQuery({ ...sizesQuery, enabled });

export function useRemoveBackup() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.DELETE("/api/backups/{id}", { params: { path: { id } } })),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: ["backups"] }),
        cache.invalidateQueries({ queryKey: ["sizes"] }),
      ]),
  });
}

/** Erase what was counted: these documents, or everything. */
export function useConfirmErasure(documents: readonly string[] = []) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (token: string) =>
      unwrap(client.POST("/api/erasures/{token}/confirm", { params: { path: { token } } })),
    onSuccess: () => {
      keepChoice("searches", ""); // what was looked for may name what is gone
      noteErased(cache, documents);
      void refreshLibrary(cache);
      void cache.invalidateQueries({ queryKey: ["conversations"] });
      void cache.invalidateQueries({ queryKey: ["sizes"] });
    },
  });
}

export const backupsQuery = queryOptions({
  queryKey: ["backups"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/backups", { signal })),
});
export const useBackups = () => useQuery(backupsQuery);

export const exportsQuery = queryOptions({
  queryKey: ["exports"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/exports", { signal })),
});
export const useExports = () => useQuery(exportsQuery);

/** Where a finished archive is handed out. */
export const archiveHref = (id: string): string => `/api/exports/${encodeURIComponent(id)}/archive`;

/** Begin work on the home as a whole; the job says how far it is. */
function useWork<T>(begin: (what: T) => Promise<{ job: Job }>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: begin,
    onSettled: () => cache.invalidateQueries({ queryKey: jobsQuery.queryKey }),
  });
}

export const useBackUp = () => useWork(() => unwrap(client.POST("/api/backups")));
export const useExport = () =>
  useWork((wanted: { private: boolean; conversations: boolean }) =>
    unwrap(client.POST("/api/exports", { body: wanted })),
  );
export const useVerify = () =>
  useWork((repair: boolean) => unwrap(client.POST("/api/verifications", { body: { repair } })));
export const useImport = () =>
  useWork((file: File) => {
    const form = new FormData();
    form.set("file", file, file.name);
    return unwrap(
      client.POST("/api/imports", { body: { file: file.name }, bodySerializer: () => form }),
    );
  });

export const auditQuery = infiniteQueryOptions({
  queryKey: ["audit"],
  queryFn: ({ signal, pageParam }) =>
    unwrap(
      client.GET("/api/audit", {
        signal,
        params: {
          query: {
            limit: 20,
            verify: pageParam === "",
            ...(pageParam === "" ? {} : { cursor: pageParam }),
          },
        },
      }),
    ),
  initialPageParam: "",
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});
export const useAudit = () => useInfiniteQuery(auditQuery);
