import {
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";

/** Somebody may ask, and a port may close, while the page is open. */
const LOOK_MS = 10_000;

export const exposureQuery = queryOptions({
  queryKey: ["exposure"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/exposure", { signal })),
  refetchInterval: LOOK_MS,
});
export const useExposure = () => useQuery(exposureQuery);

/** Close one way in; what is shown of it here and elsewhere is asked for again. */
function useClose(close: (id: string) => Promise<unknown>, shown: QueryKey) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: close,
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: exposureQuery.queryKey }),
        cache.invalidateQueries({ queryKey: shown }),
      ]),
  });
}

export const useCloseKey = () =>
  useClose((id) => unwrap(client.DELETE("/api/keys/{id}", { params: { path: { id } } })), ["keys"]);
export const useCloseBrowser = () =>
  useClose(
    (id) => unwrap(client.DELETE("/api/browsers/{id}", { params: { path: { id } } })),
    ["status"],
  );
export const useCloseGrant = () =>
  useClose(
    (id) => unwrap(client.DELETE("/api/grants/{id}", { params: { path: { id } } })),
    ["people"],
  );
export const useCloseInvite = () =>
  useClose(
    (id) => unwrap(client.DELETE("/api/invites/{id}", { params: { path: { id } } })),
    ["people"],
  );
export const useCloseToContacts = () =>
  useClose(() => unwrap(client.PUT("/api/network/reach", { body: { on: false } })), ["people"]);
