import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { DEFAULT_PREFS } from "../prefs";
import { client, unwrap } from "./client";
import { statusQuery } from "./status";
import type { Identity, Settings } from "./types";

export const identityQuery = queryOptions({ queryKey: ["identity"], queryFn: ({ signal }) => unwrap(client.GET("/api/identity", { signal })) });
export const useIdentity = () => useQuery(identityQuery);

export function useSaveIdentity() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (identity: Identity) => unwrap(client.PUT("/api/identity", { body: identity })),
    onSuccess: (identity) => {
      cache.setQueryData(identityQuery.queryKey, identity);
      return cache.invalidateQueries({ queryKey: statusQuery.queryKey });
    },
  });
}

export const settingsQuery = queryOptions({ queryKey: ["settings"], queryFn: async ({ signal }): Promise<Settings> => ({ ...DEFAULT_PREFS, ...(await unwrap(client.GET("/api/settings", { signal }))) }) });
export const useSettings = () => useQuery(settingsQuery);

/** Saved as you change: the screen takes the new value at once and gives it back if the node refuses it. */
export function useSaveSettings() {
  const cache = useQueryClient();
  return useMutation({
    scope: { id: "settings" }, // one after the other, so that the last word is the last one said
    mutationFn: (settings: Settings) => unwrap(client.PUT("/api/settings", { body: settings })),
    onMutate: async (settings) => {
      await cache.cancelQueries({ queryKey: settingsQuery.queryKey }); // an answer under way would bring the old value back
      const before = cache.getQueryData(settingsQuery.queryKey);
      cache.setQueryData(settingsQuery.queryKey, settings);
      return { before };
    },
    onError: (_problem, _settings, kept) => {
      if (kept?.before) cache.setQueryData(settingsQuery.queryKey, kept.before);
    },
  });
}
