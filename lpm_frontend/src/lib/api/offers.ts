/** What contacts offer and what is offered to them. Part of `people`: see `people.ts`. */
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "./client";
import { refreshLibrary } from "./documents";
import type { Offer } from "./types";

const KEY = ["people", "offers"] as const;
const LOOK_MS = 10_000;
/** While something is fetched, one looks more often. */
const SOON_MS = 1_000;
/** More than anybody offers at a time. */
const MOST = 500;

/** Every offer, both ways, those that last longest first. */
export const offersQuery = queryOptions({
  queryKey: [...KEY, "all"],
  queryFn: ({ signal }) =>
    unwrap(client.GET("/api/offers", { signal, params: { query: { limit: MOST } } })),
  refetchInterval: ({ state }) =>
    state.data?.items.some((each) => !each.ours && each.state === "fetching") ? SOON_MS : LOOK_MS,
});
export const useOffers = () => useQuery(offersQuery);

/** The beginning of what was fetched. It stays as it is until it is kept or refused. */
export const useOfferPreview = ({ contact, id }: Offer) =>
  useQuery({
    queryKey: [...KEY, "look", contact, id],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/contacts/{id}/offers/{offer}/preview", {
          signal,
          params: { path: { id: contact, offer: id } },
        }),
      ),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });

/** Change something about an offer; the list is asked for again, whatever came of it. */
function useChange<Wish, Answer>(change: (wish: Wish) => Promise<Answer>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => cache.invalidateQueries({ queryKey: [...KEY, "all"] }),
  });
}

const pathOf = ({ contact, id }: Offer) => ({ params: { path: { id: contact, offer: id } } });

export const useMakeOffer = () =>
  useChange(({ contact, ...body }: { contact: string; document: string; days: number }) =>
    unwrap(client.POST("/api/contacts/{id}/offers", { params: { path: { id: contact } }, body })),
  );
export const useWithdrawOffer = () =>
  useChange((offer: Offer) =>
    unwrap(client.DELETE("/api/contacts/{id}/offers/{offer}", pathOf(offer))),
  );
export const useFetchOffer = () =>
  useChange((offer: Offer) =>
    unwrap(client.POST("/api/contacts/{id}/offers/{offer}/fetch", pathOf(offer))),
  );
export const useRefuseOffer = () =>
  useChange((offer: Offer) =>
    unwrap(client.POST("/api/contacts/{id}/offers/{offer}/refuse", pathOf(offer))),
  );
export const useReconsiderOffer = () =>
  useChange((offer: Offer) =>
    unwrap(client.POST("/api/contacts/{id}/offers/{offer}/reconsider", pathOf(offer))),
  );

/** What is kept is a document from then on. */
export function useKeepOffer() {
  const cache = useQueryClient();
  return useChange(async (offer: Offer) => {
    const kept = await unwrap(client.POST("/api/contacts/{id}/offers/{offer}/keep", pathOf(offer)));
    await refreshLibrary(cache);
    return kept;
  });
}
