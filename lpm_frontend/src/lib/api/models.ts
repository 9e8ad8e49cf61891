import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "./client";
import { isRunning, jobsQuery } from "./jobs";
import { statusQuery } from "./status";
import type { Choice, EmbedderChoice, KeyWish, ThinkingChoice } from "./types";

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/models", { signal })),
});
export const useModels = () => useQuery(modelsQuery);

export const useProbe = () =>
  useMutation({
    mutationFn: (choice: Choice) => unwrap(client.POST("/api/models/probe", { body: choice })),
  });

export function useUseModel() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (choice: Choice) => unwrap(client.PUT("/api/models/active", { body: choice })),
    onSuccess: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: modelsQuery.queryKey }),
        cache.invalidateQueries({ queryKey: statusQuery.queryKey }),
      ]),
  });
}

/** Take the last choice back: the one before writes again, whether it answers or not. */
export function useModelBefore() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(client.DELETE("/api/models/active")),
    onSuccess: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: modelsQuery.queryKey }),
        cache.invalidateQueries({ queryKey: statusQuery.queryKey }),
      ]),
  });
}

export const thinkingQuery = queryOptions({
  queryKey: ["thinking"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/thinking", { signal })),
});
/** What thinks where a training teaches it. */
export const useThinking = () => useQuery(thinkingQuery);

export const useTryThinking = () =>
  useMutation({
    mutationFn: (choice: ThinkingChoice) =>
      unwrap(client.POST("/api/thinking/probe", { body: choice })),
  });

export function useUseThinking() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (choice: ThinkingChoice) => unwrap(client.PUT("/api/thinking", { body: choice })),
    onSuccess: () => cache.invalidateQueries({ queryKey: thinkingQuery.queryKey }),
  });
}

export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/keys", { signal })),
});
export const useKeys = () => useQuery(keysQuery);

export function useMakeKey() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (wish: { name: string; scopes: KeyWish["scopes"] }) =>
      unwrap(client.POST("/api/keys", { body: wish })),
    onSuccess: () => cache.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
}

export function useRevokeKey() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.DELETE("/api/keys/{id}", { params: { path: { id } } })),
    onSuccess: () => cache.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
}

/** Fetch a model: of the catalogue by its id, or from an address of one's own with a yes. */
export function useDownload() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, url, consent }: { id: string; url?: string; consent?: boolean }) =>
      unwrap(
        client.POST("/api/models/{id}/download", {
          params: { path: { id } },
          body: { ...(url === undefined ? {} : { url }), consent: consent ?? false },
        }),
      ),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: modelsQuery.queryKey }),
        cache.invalidateQueries({ queryKey: jobsQuery.queryKey }),
      ]),
  });
}

export const embeddersQuery = queryOptions({
  queryKey: ["embedders"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/embedders", { signal })),
  refetchInterval: (query) =>
    query.state.data?.job && isRunning(query.state.data.job) ? 900 : false,
});
export const useEmbedders = () => useQuery(embeddersQuery);

export const useTryEmbedder = () =>
  useMutation({
    mutationFn: (choice: EmbedderChoice) =>
      unwrap(client.POST("/api/embedders/probe", { body: choice })),
  });

export function useUseEmbedder() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (choice: EmbedderChoice) =>
      unwrap(client.PUT("/api/embedders/active", { body: choice })),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: embeddersQuery.queryKey }),
        cache.invalidateQueries({ queryKey: jobsQuery.queryKey }),
      ]),
  });
}
