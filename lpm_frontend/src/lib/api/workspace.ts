/** The workspace: its files, what each said before, and words that are written into it. */
import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";
import { readText, refreshLibrary } from "./documents";
import { whenRead } from "./reading";

/** An editor, a command or the node itself may write to a file while it is on screen. */
const WRITTEN_ELSEWHERE_MS = 4_000;

export const workspaceQuery = queryOptions({
  queryKey: ["workspace", "files"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/workspace", { signal })),
});
export const useWorkspace = () =>
  useQuery({
    ...workspaceQuery,
    refetchInterval: (query) => (query.state.status === "success" ? WRITTEN_ELSEWHERE_MS : false),
  });

/**
 * A file as it reads: the whole text of its document, which has another id for every wording but
 * one.
 */
export const useFileText = (document: string, readAt: string) =>
  useQuery({
    queryKey: ["workspace", "text", document, readAt],
    queryFn: ({ signal }) => readText(document, signal),
    enabled: document !== "",
    placeholderData: keepPreviousData,
  });

/** One wording of a file, which stays as it is whatever becomes of the file; asked for once. */
export const useWording = (document: string) =>
  useQuery({
    queryKey: ["wording", document],
    queryFn: ({ signal }) => readText(document, signal),
    enabled: document !== "",
    staleTime: Infinity,
  });

/** Every wording of a file, the newest first. */
export const versionsQuery = (path: string) =>
  queryOptions({
    queryKey: ["workspace", "versions", path],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/workspace/versions", { signal, params: { query: { path } } })),
  });
export const useVersions = (path: string) => useQuery(versionsQuery(path));

export const diffQuery = (path: string, before: string, after: string) =>
  queryOptions({
    queryKey: ["workspace", "diff", path, before, after],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/workspace/diff", { signal, params: { query: { path, before, after } } }),
      ),
  });
export const useDiff = (path: string, before: string, after: string, enabled = true) =>
  useQuery({ ...diffQuery(path, before, after), enabled });

export const refreshWorkspace = (cache: QueryClient) =>
  Promise.all([
    ...["workspace", "memories", "recall", "biography", "opinions"].map((key) =>
      cache.invalidateQueries({ queryKey: [key] }),
    ),
    refreshLibrary(cache),
  ]);

export type Writing =
  | { readonly how: "append"; readonly path: string; readonly text: string }
  | { readonly how: "replace"; readonly path: string; readonly old: string; readonly new: string }
  | { readonly how: "restore"; readonly path: string; readonly version: string };

function written(writing: Writing) {
  switch (writing.how) {
    case "append":
      return unwrap(
        client.POST("/api/workspace/append", { body: { path: writing.path, text: writing.text } }),
      );
    case "replace":
      return unwrap(
        client.POST("/api/workspace/replace", {
          body: { path: writing.path, old: writing.old, new: writing.new },
        }),
      );
    case "restore":
      return unwrap(
        client.POST("/api/workspace/restore", {
          body: { path: writing.path, version: writing.version },
        }),
      );
  }
}

/** Which wording a file has now, counted from the oldest; 0 where there is no such file yet. */
async function numberOf(path: string): Promise<number> {
  const { files } = await unwrap(client.GET("/api/workspace"));
  return files.find((file) => file.path === path)?.versions ?? 0;
}

export interface Before {
  readonly path: string;
  /** The number of its wording. */
  readonly number: number;
}

/** Do something to a file, and say how it read before. */
export async function keeping(path: string, change: () => Promise<unknown>): Promise<Before> {
  const number = await numberOf(path);
  await change();
  return { path, number };
}

/**
 * Have a file read as it did; what it says now is kept as well. A file that there was not goes out
 * of its folder again.
 */
export async function goBack({ path, number }: Before): Promise<void> {
  if (number === 0) {
    const { files } = await unwrap(client.GET("/api/workspace"));
    const made = files.find((file) => file.path === path);
    if (made)
      await unwrap(
        client.DELETE("/api/documents/{id}", { params: { path: { id: made.document } } }),
      );
    return;
  }
  const { items } = await unwrap(
    client.GET("/api/workspace/versions", { params: { query: { path } } }),
  );
  const version = items.find((each) => each.number === number);
  if (version)
    await whenRead(
      await unwrap(
        client.POST("/api/workspace/restore", { body: { path, version: version.document } }),
      ),
    );
}

/** Write, and say how the file read before: {@link useGoBack} takes that. */
export function useWriting() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (writing: Writing) =>
      keeping(writing.path, async () => whenRead(await written(writing))),
    onSuccess: () => refreshWorkspace(cache),
  });
}

export function useGoBack() {
  const cache = useQueryClient();
  return useMutation({ mutationFn: goBack, onSuccess: () => refreshWorkspace(cache) });
}
