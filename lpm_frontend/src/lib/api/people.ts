/** Other people: invites, contacts, grants, what they asked, and what left for them. */
import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";
import { statusQuery } from "./status";
import type { Contact, GrantWish } from "./types";

const KEY = ["people"] as const;
/** Something may come in while the screen is open. */
const LOOK_MS = 10_000;
/** More than a person has. */
const MOST = 500;

export const contactsQuery = queryOptions({
  queryKey: [...KEY, "contacts"],
  queryFn: ({ signal }) =>
    unwrap(client.GET("/api/contacts", { signal, params: { query: { limit: MOST } } })),
  refetchInterval: LOOK_MS,
});
export const useContacts = () => useQuery(contactsQuery);

/** Those whom some words are about; none are asked for without words. */
export const useContactsLike = (text: string) =>
  useQuery({
    queryKey: [...KEY, "like", text],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/contacts", { signal, params: { query: { limit: MOST, text } } })),
    enabled: text !== "",
    placeholderData: keepPreviousData,
  });

/** Somebody with grants both ways and what was exchanged. */
export const useContact = (id: string) =>
  useQuery({
    queryKey: [...KEY, "contact", id],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/contacts/{id}", { signal, params: { path: { id } } })),
    refetchInterval: LOOK_MS,
  });

export const useInvites = () =>
  useQuery({
    queryKey: [...KEY, "invites"],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/invites", { signal, params: { query: { limit: MOST } } })),
    refetchInterval: LOOK_MS,
  });

export const useGrants = () =>
  useQuery({
    queryKey: [...KEY, "grants"],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/grants", { signal, params: { query: { limit: MOST } } })),
  });

/** What a grant begins with; it does not change while the node runs. */
export const useTemplates = () =>
  useQuery({
    queryKey: [...KEY, "templates"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/grants/templates", { signal })),
    staleTime: Infinity,
  });

/**
 * What a grant would cover. The last answer stays until the next one comes, so that nothing jumps.
 */
export const useGrantPreview = (wish: GrantWish, enabled: boolean) =>
  useQuery({
    queryKey: [...KEY, "preview", wish],
    queryFn: ({ signal }) => unwrap(client.POST("/api/grants/preview", { signal, body: wish })),
    enabled,
    placeholderData: keepPreviousData,
  });

export const useInbox = () =>
  useQuery({
    queryKey: [...KEY, "inbox"],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/inbox", { signal, params: { query: { limit: 100 } } })),
    refetchInterval: LOOK_MS,
  });
/**
 * The answer to a request that waits, as it would leave; written once, and again when the person
 * asks for it.
 */
export const useAnswerDraft = (id: string, enabled: boolean) =>
  useQuery({
    queryKey: [...KEY, "draft", id],
    queryFn: ({ signal }) =>
      unwrap(client.POST("/api/inbox/{id}/draft", { signal, params: { path: { id } } })),
    enabled,
    staleTime: Infinity,
    retry: false,
  });

/** What came since a grant was given, looks like a secret, and waits for a word. */
export const useSuspects = () =>
  useQuery({
    queryKey: [...KEY, "suspects"],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/grants/secrets", {
          signal,
          params: { query: { waiting: true, limit: 100 } },
        }),
      ),
    refetchInterval: LOOK_MS,
  });

export const useNetwork = () =>
  useQuery({
    queryKey: [...KEY, "network"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/network", { signal })),
    refetchInterval: LOOK_MS,
  });

/** While something is awaited, one looks more often. */
const SOON_MS = 1_000;

/** Whether others reach this node. */
export const useReach = () =>
  useQuery({
    queryKey: [...KEY, "reach"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/network/reach", { signal })),
    refetchInterval: ({ state }) => (state.data?.state === "starting" ? SOON_MS : LOOK_MS),
  });

/** Invites that were accepted and met nobody yet. */
export const useGreetings = () =>
  useQuery({
    queryKey: [...KEY, "greetings"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/greetings", { signal })),
    refetchInterval: LOOK_MS,
  });

/** How far one greeting has come; asked for until it has ended. */
export const useGreeting = (id: string) =>
  useQuery({
    queryKey: [...KEY, "greeting", id],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/greetings/{id}", { signal, params: { path: { id } } })),
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.state === "waiting" ? SOON_MS : false,
  });

/**
 * An invite as a QR code. It holds the secret of the link, so it is not kept when it is out of
 * sight.
 */
export const useInviteCode = (id: string) =>
  useQuery({
    queryKey: [...KEY, "code", id],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/invites/{id}/code", { signal, params: { path: { id } } })),
    staleTime: Infinity,
    gcTime: 0,
  });

/** What a contact was asked, and what came back. */
export const useQuestions = (id: string) =>
  useQuery({
    queryKey: [...KEY, "questions", id],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/contacts/{id}/questions", {
          signal,
          params: { path: { id }, query: { limit: 50 } },
        }),
      ),
    refetchInterval: ({ state }) =>
      state.data?.items.some((each) => each.state === "waiting") ? 2 * SOON_MS : LOOK_MS,
  });

/**
 * What no change makes another: a preview is of its choices, and whoever was forgotten cannot be
 * asked for.
 */
const LASTS = ["preview", "templates", "code", "draft"];

/** Change something between people; what is shown of them is asked for again. */
function useChange<Wish, Answer>(
  change: (wish: Wish) => Promise<Answer>,
  lasts: readonly unknown[] = LASTS,
) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: statusQuery.queryKey }); // what waits, and what left
      return cache.invalidateQueries({
        queryKey: KEY,
        predicate: ({ queryKey }) => !lasts.includes(queryKey[1]),
      });
    },
  });
}

export const useInvite = () =>
  useChange((wish: { label: string; expires_in: number }) =>
    unwrap(client.POST("/api/invites", { body: wish })),
  );
export const useWithdraw = () =>
  useChange((id: string) =>
    unwrap(client.DELETE("/api/invites/{id}", { params: { path: { id } } })),
  );
export const useSwitch = () =>
  useChange((on: boolean) => unwrap(client.PUT("/api/network/reach", { body: { on } })));
export const useRelaying = () =>
  useChange((wish: { on: boolean; relays: boolean }) =>
    unwrap(
      client.PUT("/api/network/reach", {
        body: { on: wish.on, relays_for_contacts: wish.relays },
      }),
    ),
  );
export const useFinding = () =>
  useChange((wish: { on: boolean; find: boolean }) =>
    unwrap(client.PUT("/api/network/reach", { body: { on: wish.on, find_on_network: wish.find } })),
  );
export const useMapping = () =>
  useChange((wish: { on: boolean; map: boolean }) =>
    unwrap(client.PUT("/api/network/reach", { body: { on: wish.on, map_port: wish.map } })),
  );
export const useUnlock = () =>
  useChange((passphrase: string) =>
    unwrap(client.POST("/api/network/unlock", { body: { passphrase } })),
  );
export const useGreet = () =>
  useChange((body: { invite: string; name: string }) =>
    unwrap(client.POST("/api/contacts", { body })),
  );
export const useDropGreeting = () =>
  useChange(
    (id: string) => unwrap(client.DELETE("/api/greetings/{id}", { params: { path: { id } } })),
    [...LASTS, "greeting"],
  );
export const useCompare = () =>
  useChange(({ id, words, same }: { id: string; words: string[]; same: boolean }) =>
    unwrap(
      client.POST("/api/contacts/{id}/words", { params: { path: { id } }, body: { words, same } }),
    ),
  );
export const useAsk = () =>
  useChange(({ id, question }: { id: string; question: string }) =>
    unwrap(client.POST("/api/contacts/{id}/ask", { params: { path: { id } }, body: { question } })),
  );
export const useTakeBack = () =>
  useChange(({ id, question }: { id: string; question: string }) =>
    unwrap(
      client.DELETE("/api/contacts/{id}/questions/{question}", {
        params: { path: { id, question } },
      }),
    ),
  );
export const useKeepAnswer = () =>
  useChange(({ id, question }: { id: string; question: string }) =>
    unwrap(
      client.POST("/api/contacts/{id}/questions/{question}/keep", {
        params: { path: { id, question } },
      }),
    ),
  );
export const useChangeContact = () =>
  useChange(({ id, ...body }: { id: string; name?: string; notes?: string }) =>
    unwrap(client.PATCH("/api/contacts/{id}", { params: { path: { id } }, body })),
  );
export const useForget = () =>
  useChange(
    (id: string) => unwrap(client.DELETE("/api/contacts/{id}", { params: { path: { id } } })),
    [...LASTS, "contact", "questions"],
  );

export type Deed = "block" | "unblock" | "end" | "accept" | "decline";
const DEEDS: Readonly<Record<Deed, (id: string) => Promise<Contact>>> = {
  block: (id) => unwrap(client.POST("/api/contacts/{id}/block", { params: { path: { id } } })),
  unblock: (id) => unwrap(client.POST("/api/contacts/{id}/unblock", { params: { path: { id } } })),
  end: (id) => unwrap(client.POST("/api/contacts/{id}/end", { params: { path: { id } } })),
  accept: (id) => unwrap(client.POST("/api/contacts/{id}/accept", { params: { path: { id } } })),
  decline: (id) => unwrap(client.POST("/api/contacts/{id}/decline", { params: { path: { id } } })),
};
export const useDeed = () =>
  useChange(({ id, deed }: { id: string; deed: Deed }) => DEEDS[deed](id));

export const useGive = () =>
  useChange((body: GrantWish & { contact: string }) =>
    unwrap(client.POST("/api/grants", { body })),
  );
export const useRevoke = () =>
  useChange((id: string) =>
    unwrap(client.DELETE("/api/grants/{id}", { params: { path: { id } } })),
  );
export const useDecide = () =>
  useChange(
    ({ id, yes, draft, text }: { id: string; yes: boolean; draft?: string; text?: string }) =>
      unwrap(
        yes
          ? client.POST("/api/inbox/{id}/approve", {
              params: { path: { id } },
              body: {
                ...(draft === undefined ? {} : { draft }),
                ...(text === undefined ? {} : { text }),
              },
            })
          : client.POST("/api/inbox/{id}/refuse", { params: { path: { id } } }),
      ),
  );
export const useDecideSecret = () =>
  useChange(({ grant, id, yes }: { grant: string; id: string; yes: boolean }) =>
    unwrap(
      client.PUT("/api/grants/{id}/secrets", {
        params: { path: { id: grant } },
        body: yes ? { allow: [id] } : { leave_out: [id] },
      }),
    ),
  );
