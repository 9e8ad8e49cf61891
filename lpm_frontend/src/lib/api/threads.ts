/** What was told in chats, by how far it has moved; and memories that fade. */
import {
  infiniteQueryOptions,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";

export type TierName = "session" | "archive" | "consolidated" | "fading";

const PAGE = 20;
const WANTED = {
  session: { tier: ["session"] },
  archive: { tier: ["archive"] },
  consolidated: { tier: ["long_term"], consolidated: true },
  fading: { tier: ["long_term"], consolidated: false },
} as const;

export const threadsQuery = (tier: TierName) =>
  infiniteQueryOptions({
    queryKey: ["threads", tier],
    queryFn: ({ signal, pageParam }) => {
      const { tier: tiers, ...rest } = WANTED[tier];
      return unwrap(
        client.GET("/api/threads", {
          signal,
          params: {
            query: {
              limit: PAGE,
              tier: [...tiers],
              ...rest,
              ...(pageParam === "" ? {} : { cursor: pageParam }),
            },
          },
        }),
      );
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
export const useThreads = (tier: TierName) => useInfiniteQuery(threadsQuery(tier));

export const fadingQuery = infiniteQueryOptions({
  queryKey: ["memories", "fading"],
  queryFn: ({ signal, pageParam }) =>
    unwrap(
      client.GET("/api/memories", {
        signal,
        params: {
          query: {
            limit: PAGE,
            fading: true,
            ...(pageParam === "" ? {} : { cursor: pageParam }),
          },
        },
      }),
    ),
  initialPageParam: "",
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});
/** Memories that are held least first. */
export const useFading = () => useInfiniteQuery(fadingQuery);

/** Have a thread of a conversation begin with a turn, or join it to the one before it. */
export function usePartThread(conversation: string) {
  const cache = useQueryClient();
  const refresh = () =>
    Promise.all([
      cache.invalidateQueries({ queryKey: ["conversations", "one", conversation] }),
      cache.invalidateQueries({ queryKey: ["threads"] }),
    ]);
  const at = (turn: string) => ({ params: { path: { id: conversation, turn } } });
  const part = useMutation({
    mutationFn: (turn: string) =>
      unwrap(client.PUT("/api/conversations/{id}/threads/{turn}", at(turn))),
    onSuccess: refresh,
  });
  const join = useMutation({
    mutationFn: (turn: string) =>
      unwrap(client.DELETE("/api/conversations/{id}/threads/{turn}", at(turn))),
    onSuccess: refresh,
  });
  return { part, join };
}

/** Bring a thread back, or let it fade. */
export function useConsolidate() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({
      id,
      consolidated,
      decided = true,
    }: {
      id: string;
      consolidated: boolean;
      /** Not so: the person's word is taken back. */
      decided?: boolean;
    }) =>
      unwrap(
        client.PATCH("/api/threads/{id}", {
          params: { path: { id } },
          body: { consolidated, decided },
        }),
      ),
    onSuccess: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: ["threads"] }),
        cache.invalidateQueries({ queryKey: ["findings"] }),
      ]),
  });
}
