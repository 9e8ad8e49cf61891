import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { applyPrefs, DEFAULT_PREFS, keepPrefs, readPrefs, type Prefs } from "../prefs";
import { client, unwrap } from "./client";
import { statusQuery } from "./status";
import type { Identity, IdentityWish, OwnStyle, Settings } from "./types";

export const identityQuery = queryOptions({
  queryKey: ["identity", "said"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/identity", { signal })),
});
export const useIdentity = () => useQuery(identityQuery);

export function useSaveIdentity() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (identity: IdentityWish) => unwrap(client.PUT("/api/identity", { body: identity })),
    onSuccess: (identity) => {
      cache.setQueryData(identityQuery.queryKey, identity);
      return cache.invalidateQueries({ queryKey: statusQuery.queryKey });
    },
  });
}

/**
 * How an answer would sound to this person: the node's own sentences and the quotations, without a
 * model.
 */
export const previewQuery = (identity: Identity, question: string) =>
  queryOptions({
    queryKey: [
      "preview",
      question,
      identity.style,
      identity.languages,
      identity.length,
      identity.manner,
    ],
    queryFn: ({ signal }) =>
      unwrap(client.POST("/api/identity/preview", { signal, body: { question, identity } })),
    enabled: question.trim() !== "" && identity.name.trim() !== "",
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** How the person writes, measured in what they wrote. */
export const ownStyleQuery = queryOptions({
  queryKey: ["identity", "style"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/identity/style", { signal })),
});
export const useOwnStyle = () => useQuery(ownStyleQuery);

/** Whether answers take on how the person writes. */
export function useSaveOwnVoice() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (own_voice: OwnStyle["own_voice"]) =>
      unwrap(client.PUT("/api/identity/style", { body: { own_voice } })),
    onSuccess: (style) => cache.setQueryData(ownStyleQuery.queryKey, style),
  });
}

/** Questions that have an answer in what was added. */
export const questionsQuery = (limit: number, documents: number) =>
  queryOptions({
    queryKey: ["questions", limit, documents],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/questions", { signal, params: { query: { limit } } })),
    enabled: documents > 0,
    staleTime: 60_000,
  });

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: async ({ signal }): Promise<Settings> => ({
    ...DEFAULT_PREFS,
    ...(await unwrap(client.GET("/api/settings", { signal }))),
  }),
});
export const useSettings = () => useQuery(settingsQuery);

/**
 * Saved as you change: the screen takes the new value at once and gives it back if the node refuses
 * it.
 */
export function useSaveSettings() {
  const cache = useQueryClient();
  return useMutation({
    scope: { id: "settings" }, // one after the other, so that the last word is the last one said
    mutationFn: (settings: Settings) => unwrap(client.PUT("/api/settings", { body: settings })),
    onMutate: async (settings) => {
      // an answer under way would bring the old value back
      await cache.cancelQueries({ queryKey: settingsQuery.queryKey });
      const before = cache.getQueryData(settingsQuery.queryKey);
      cache.setQueryData(settingsQuery.queryKey, settings);
      return { before };
    },
    onError: (_problem, _settings, kept) => {
      if (kept?.before) cache.setQueryData(settingsQuery.queryKey, kept.before);
    },
  });
}

/** Language and light: changed here, kept by the node, remembered beside the page. */
export function usePrefs(): { prefs: Prefs; change: (change: Partial<Prefs>) => void } {
  const kept = useSettings().data;
  const { mutate } = useSaveSettings();
  const prefs = useMemo(() => kept ?? readPrefs(), [kept]);
  const change = useCallback(
    (what: Partial<Prefs>): void => {
      const next = { ...prefs, ...what };
      keepPrefs(next);
      applyPrefs(next);
      mutate(next);
    },
    [mutate, prefs],
  );
  return { prefs, change };
}
