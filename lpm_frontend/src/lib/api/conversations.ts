import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";
import type { Conversation, ConversationWhole, Judgement, Turn } from "./types";

/** Turns that are fetched at a time, from the end. */
const PAGE = 40;

export const conversationsQuery = queryOptions({
  queryKey: ["conversations", "list"],
  queryFn: ({ signal }) =>
    unwrap(client.GET("/api/conversations", { signal, params: { query: { limit: 100 } } })),
});
export const useConversations = () => useQuery(conversationsQuery);

/** Those in whose name or turns the words stand. */
export const useFoundConversations = (words: string) =>
  useQuery({
    queryKey: ["conversations", "found", words],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/conversations", { signal, params: { query: { q: words, limit: 50 } } }),
      ),
    enabled: words !== "",
    placeholderData: keepPreviousData,
  });

/** Those that were deleted and can be brought back. */
export const useDeletedConversations = (on: boolean) =>
  useQuery({
    queryKey: ["conversations", "deleted"],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/conversations", {
          signal,
          params: { query: { deleted: true, limit: 100 } },
        }),
      ),
    enabled: on,
  });

const fetchPage = (
  id: string,
  before: string | null,
  signal?: AbortSignal,
): Promise<ConversationWhole> =>
  unwrap(
    client.GET("/api/conversations/{id}", {
      ...(signal ? { signal } : {}),
      params: { path: { id }, query: before === null ? { limit: PAGE } : { limit: PAGE, before } },
    }),
  );

/**
 * The latest turns, with what was fetched before them: as long as the two meet, nothing that is on
 * screen goes away.
 */
export function joined(
  known: ConversationWhole | undefined,
  latest: ConversationWhole,
): ConversationWhole {
  const first = latest.items[0];
  const meets = known && first ? known.items.findIndex((turn) => turn.id === first.id) : -1;
  if (!known || meets <= 0) return latest;
  return {
    ...latest,
    items: [...known.items.slice(0, meets), ...latest.items],
    before: known.before ?? null,
  };
}

export const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: ["conversations", "one", id],
    queryFn: async ({ client: cache, queryKey, signal }): Promise<ConversationWhole> => {
      const latest = await fetchPage(id, null, signal);
      return joined(cache.getQueryData<ConversationWhole>(queryKey), latest);
    },
  });
export const useConversation = (id: string) =>
  useQuery({ ...conversationQuery(id), enabled: id !== "" });

/** Fetch what came before the turns that are here. */
export async function fetchEarlier(cache: QueryClient, id: string): Promise<void> {
  const { queryKey } = conversationQuery(id);
  const known = cache.getQueryData(queryKey);
  if (!known?.before) return;
  const earlier = await fetchPage(id, known.before);
  cache.setQueryData(queryKey, (now) =>
    now && now.before === known.before
      ? { ...now, items: [...earlier.items, ...now.items], before: earlier.before ?? null }
      : now,
  );
}

/** Every turn, for paper. */
export const fetchWhole = (id: string): Promise<ConversationWhole> =>
  unwrap(client.GET("/api/conversations/{id}", { params: { path: { id } } }));

/**
 * Begin a conversation: with the second self, with a role, or with several; without `keeping` it
 * keeps what the settings say.
 */
export const createConversation = (
  cast: readonly string[] = [],
  keeping: Conversation["keeping"] | null = null,
) =>
  unwrap(
    client.POST("/api/conversations", {
      body: { title: "", role: "", cast: [...cast], ...(keeping ? { keeping } : {}) },
    }),
  );

/** Have it keep something else from now on; what it keeps no more is gone. */
export function useKeepSo() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, keeping }: { id: string; keeping: NonNullable<Conversation["keeping"]> }) =>
      unwrap(
        client.PATCH("/api/conversations/{id}", { params: { path: { id } }, body: { keeping } }),
      ),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["conversations"] }),
  });
}

/** Leave one that keeps nothing: it is erased. */
export const leaveConversation = (id: string) =>
  unwrap(client.POST("/api/conversations/{id}/leave", { params: { path: { id } } }));

/** The same while the page goes away. The node sees to it after ten minutes where this is lost. */
export const leaveBehind = (id: string): boolean =>
  navigator.sendBeacon(`/api/conversations/${encodeURIComponent(id)}/leave`);

export function useRenameConversation() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, title }: { id: string; title: string }) =>
      unwrap(
        client.PATCH("/api/conversations/{id}", { params: { path: { id } }, body: { title } }),
      ),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["conversations"] }),
  });
}

/** Put it away; the node keeps it for a while. */
export const deleteConversation = (id: string) =>
  unwrap(client.DELETE("/api/conversations/{id}", { params: { path: { id } } }));

/** Bring it back whole. */
export const restoreConversation = (id: string) =>
  unwrap(client.POST("/api/conversations/{id}/restore", { params: { path: { id } } }));

/** Begin another with what was said before this question. */
export const branchConversation = (id: string, turn: string) =>
  unwrap(
    client.POST("/api/conversations/{id}/branch", { params: { path: { id } }, body: { turn } }),
  );

/** Put a turn of the node's in the place of the one that is shown for its question. */
function put(cache: QueryClient, id: string, turn: Turn): void {
  cache.setQueryData(conversationQuery(id).queryKey, (known) =>
    known
      ? {
          ...known,
          items: known.items.map((one) =>
            one.id === turn.id || (turn.answers !== null && one.answers === turn.answers)
              ? { ...turn, evidence: turn.evidence }
              : one,
          ),
        }
      : known,
  );
}

/** Show another of the answers to one question. */
export async function showVariant(cache: QueryClient, id: string, turn: string): Promise<void> {
  const shown = await unwrap(
    client.PATCH("/api/conversations/{id}/turns/{turn}", {
      params: { path: { id, turn } },
      body: { shown: true },
    }),
  );
  put(cache, id, shown);
}

export function useShowVariant(id: string) {
  const cache = useQueryClient();
  return useMutation({ mutationFn: (turn: string) => showVariant(cache, id, turn) });
}

const variantQuery = (id: string, turn: string) =>
  queryOptions({
    queryKey: ["conversations", "variant", id, turn],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/conversations/{id}/turns/{turn}", {
          signal,
          params: { path: { id, turn } },
        }),
      ),
  });
/** One of several answers, shown or not; nothing is asked without its id. */
export const useVariant = (id: string, turn: string) =>
  useQuery({ ...variantQuery(id, turn), enabled: turn !== "" });

/** The lines of the profile that an answer was given with, as they are called now. */
export const inMindQuery = (id: string, turn: string) =>
  queryOptions({
    // under the profile, so that whoever changes a line sees it here
    queryKey: ["profile", "in-mind", id, turn],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/conversations/{id}/turns/{turn}/in-mind", {
          signal,
          params: { path: { id, turn } },
        }),
      ),
  });
export const useInMind = (id: string, turn: string) => useQuery(inMindQuery(id, turn));

/** Have the answer to this question at hand when another takes its place. */
export function keepVariant(cache: QueryClient, id: string, asked: string): void {
  const { queryKey } = conversationQuery(id);
  const shown = cache.getQueryData(queryKey)?.items.find((turn) => turn.answers === asked);
  if (shown) cache.setQueryData(variantQuery(id, shown.id).queryKey, shown);
}

/** Say what one thinks of an answer, or take it back. */
export function useJudge(id: string) {
  const cache = useQueryClient();
  return useMutation({
    // one after the other: what was said last holds
    scope: { id: `judge ${id}` },
    mutationFn: ({ turn, judgement }: { turn: string; judgement: Judgement | null }) =>
      judgement === null
        ? unwrap(
            client.DELETE("/api/conversations/{id}/turns/{turn}/verdict", {
              params: { path: { id, turn } },
            }),
          )
        : unwrap(
            client.PUT("/api/conversations/{id}/turns/{turn}/verdict", {
              params: { path: { id, turn } },
              body: judgement,
            }),
          ),
    onSuccess: (turn) => {
      put(cache, id, turn);
      // What is right in the place of an answer is a memory.
      for (const queryKey of [["memories"], ["status"]]) void cache.invalidateQueries({ queryKey });
    },
  });
}
