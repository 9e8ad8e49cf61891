/**
 * What the node writes by itself: who the person is, what they hold, what cannot both be so, and
 * what could stand in `memory.md`.
 */
import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";
import { jobsQuery } from "./jobs";

export type Person = "first" | "second" | "third";
export type Side = "changed" | "first" | "second" | "both";

const refresh = (cache: QueryClient) =>
  Promise.all(
    [
      "biography",
      "opinions",
      "disagreements",
      "core-lines",
      "memories",
      "workspace",
      "reflections",
      "entities",
    ].map((key) => cache.invalidateQueries({ queryKey: [key] })),
  );

export const biographyQuery = (person: Person) =>
  queryOptions({
    queryKey: ["biography", "told", person],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/biography", { signal, params: { query: { person } } })),
    placeholderData: keepPreviousData,
  });
export const useBiography = (person: Person) => useQuery(biographyQuery(person));

const versionsQuery = queryOptions({
  queryKey: ["biography", "versions"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/biography/versions", { signal })),
});
/** How the page read before, the newest first. */
export const useVersions = () => useQuery(versionsQuery);

/** What a version changed; 0 for none. */
export const useDiff = (n: number) =>
  useQuery({
    queryKey: ["biography", "diff", n],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/biography/versions/{n}/diff", { signal, params: { path: { n } } })),
    enabled: n > 0,
  });

export function useRestore() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (n: number) =>
      unwrap(client.POST("/api/biography/versions/{n}/restore", { params: { path: { n } } })),
    onSuccess: () => refresh(cache),
  });
}

/** What one topic of a life is about. */
export const useTopic = (id: string) =>
  useQuery({
    queryKey: ["biography", "topic", id],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/biography/topics/{id}", { signal, params: { path: { id } } })),
    enabled: id !== "",
  });

/** Put other words in the place of a line of the page; none take it out. */
export function useRewrite(path: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ line, words }: { line: string; words: string }) =>
      unwrap(client.POST("/api/workspace/replace", { body: { path, old: line, new: words } })),
    onSuccess: () => refresh(cache),
  });
}

/** Go over what is new. */
export function useReflect() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(client.POST("/api/reflections", { body: {} })),
    onSuccess: () => cache.invalidateQueries({ queryKey: jobsQuery.queryKey }),
  });
}
const reflectionsQuery = queryOptions({
  queryKey: ["reflections"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/reflections", { signal })),
});
/** What it wrote each time, the newest first. */
export const useReflections = () => useQuery(reflectionsQuery);

/** Have the pages of one time read as before. */
export function useUndoReflection() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.POST("/api/reflections/{id}/undo", { params: { path: { id } } })),
    onSuccess: () => refresh(cache),
  });
}
export function useRefreshed(): () => Promise<unknown> {
  const cache = useQueryClient();
  return () => refresh(cache);
}

export const opinionsQuery = queryOptions({
  queryKey: ["opinions"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/opinions", { signal })),
});
export const useOpinions = () => useQuery(opinionsQuery);

export const disagreementsQuery = queryOptions({
  queryKey: ["disagreements"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/disagreements", { signal })),
});
export const useDisagreements = () => useQuery(disagreementsQuery);

export function useSettle() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, verdict }: { id: string; verdict: Side }) =>
      unwrap(
        client.POST("/api/disagreements/{id}", { params: { path: { id } }, body: { verdict } }),
      ),
    onSuccess: () => refresh(cache),
  });
}
export function useUnsettle() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.DELETE("/api/disagreements/{id}", { params: { path: { id } } })),
    onSuccess: () => refresh(cache),
  });
}

export const coreLinesQuery = queryOptions({
  queryKey: ["core-lines"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/core/proposals", { signal })),
});
export const useCoreLines = () => useQuery(coreLinesQuery);

export function useDecideCore() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: { id: string; accept: boolean; line?: string }) =>
      unwrap(client.POST("/api/core/proposals/{id}", { params: { path: { id } }, body })),
    onSuccess: () => refresh(cache),
  });
}
/** Take back what was said of a line; one that was taken in goes from the file too. */
export function useUndecideCore() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, line }: { id: string; line: string }) => {
      if (line !== "")
        await unwrap(
          client.POST("/api/workspace/replace", {
            body: { path: "memory.md", old: `- ${line}\n`, new: "" },
          }),
        );
      return unwrap(client.DELETE("/api/core/proposals/{id}", { params: { path: { id } } }));
    },
    onSuccess: () => refresh(cache),
  });
}
