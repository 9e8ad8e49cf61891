import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "./client";
import { statusQuery } from "./status";
import type { Choice, KeyWish } from "./types";

export const modelsQuery = queryOptions({ queryKey: ["models"], queryFn: ({ signal }) => unwrap(client.GET("/api/models", { signal })) });
export const useModels = () => useQuery(modelsQuery);

export const useProbe = () => useMutation({ mutationFn: (choice: Choice) => unwrap(client.POST("/api/models/probe", { body: choice })) });

export function useUseModel() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (choice: Choice) => unwrap(client.PUT("/api/models/active", { body: choice })),
    onSuccess: () => Promise.all([cache.invalidateQueries({ queryKey: modelsQuery.queryKey }), cache.invalidateQueries({ queryKey: statusQuery.queryKey })]),
  });
}

export const keysQuery = queryOptions({ queryKey: ["keys"], queryFn: ({ signal }) => unwrap(client.GET("/api/keys", { signal })) });
export const useKeys = () => useQuery(keysQuery);

export function useMakeKey() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (wish: { name: string; scopes: KeyWish["scopes"] }) => unwrap(client.POST("/api/keys", { body: wish })),
    onSuccess: () => cache.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
}

export function useRevokeKey() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => unwrap(client.DELETE("/api/keys/{id}", { params: { path: { id } } })),
    onSuccess: () => cache.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
}
