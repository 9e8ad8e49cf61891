/** The lock of the home: on the open node, and on one that answers nothing else. */
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "./client";
import { isObject } from "./json";
import { statusQuery } from "./status";

export const lockQuery = queryOptions({
  queryKey: ["lock"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/home/lock", { signal })),
});
export const useLock = () => useQuery(lockQuery);

/** Set a passphrase, or another one in place of `before`. */
export function useSetLock() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ passphrase, before }: { passphrase: string; before?: string }) =>
      unwrap(
        client.PUT("/api/home/lock", {
          body: { passphrase, understood: true, ...(before === undefined ? {} : { before }) },
        }),
      ),
    onSuccess: (lock) => cache.setQueryData(lockQuery.queryKey, lock),
  });
}

export function useRemoveLock() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (passphrase: string) =>
      unwrap(client.DELETE("/api/home/lock", { body: { passphrase } })),
    onSuccess: (lock) => cache.setQueryData(lockQuery.queryKey, lock),
  });
}

/** The node falls silent while it seals the home; then its status says that it is locked. */
export function useLockNow() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(client.POST("/api/home/lock")),
    onSettled: () => cache.invalidateQueries({ queryKey: statusQuery.queryKey }),
  });
}

const LOOK_MS = 300;

/** Unlock the home, wait until the node works, and give the link that signs this browser in. */
export const useUnlockHome = () =>
  useMutation({
    mutationFn: async (passphrase: string) => {
      const { link } = await unwrap(client.POST("/api/home/unlock", { body: { passphrase } }));
      while (!(await works())) await new Promise((go) => setTimeout(go, LOOK_MS));
      return link;
    },
  });

async function works(): Promise<boolean> {
  try {
    const said: unknown = await (await fetch("/healthz")).json();
    return isObject(said) && said["status"] === "ok";
  } catch {
    return false; // it is being started
  }
}
