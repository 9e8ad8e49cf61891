import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it } from "vitest";
import { offersQuery } from "@/lib/api/offers";
import type { Contact, Offer } from "@/lib/api/types";
import { OffersOf } from "./offers";

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

const ASAKO: Contact = {
  id: "p_1",
  name: "Asako",
  own_name: "Asako",
  notes: "",
  online: null,
  did: "did:key:z",
  state: "ended",
  met_at: "2026-03-14T11:00:00Z",
  last_seen: null,
  words: [],
  verified_at: null,
  given: 0,
  had: 0,
};
const offered = (id: string, of: Partial<Offer> = {}): Offer => ({
  id,
  contact: ASAKO.id,
  name: ASAKO.name,
  ours: true,
  title: `Letter ${id}`,
  media: "text/plain",
  size: 80_000,
  hash: "h",
  until: "2999-03-21T12:00:00Z",
  withdrawn_at: null,
  document: "d_1",
  state: "offered",
  fetched: 0,
  came_at: null,
  grant: null,
  kept: null,
  code: "",
  ...of,
});
const WITHDRAWN = { withdrawn_at: "2026-03-14T11:30:00Z" };

it("keeps what is decided where it was, and folds away what was over before", async () => {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const show = (items: readonly Offer[]): Promise<void> =>
    act(async () => {
      cache.setQueryData(offersQuery.queryKey, { items: [...items], next_cursor: null });
      // those who look on are told in a turn of their own
      await new Promise((done) => setTimeout(done, 0));
    });
  const page = document.createElement("div");
  const titles = (where: string): readonly (string | null)[] =>
    [...page.querySelectorAll(`${where} .offer-title`)].map((each) => each.textContent);
  await show([offered("a"), offered("z", WITHDRAWN)]);
  await act(async () => {
    createRoot(page).render(
      <QueryClientProvider client={cache}>
        <OffersOf contact={ASAKO} />
      </QueryClientProvider>,
    );
    await Promise.resolve();
  });
  expect(titles("section > ul")).toEqual(["Letter a"]);
  expect(titles("details")).toEqual(["Letter z"]);

  // one that came while one looked on, and is withdrawn
  await show([offered("b"), offered("a", { fetched: 40_000 }), offered("z", WITHDRAWN)]);
  await show([offered("b", WITHDRAWN), offered("a", { fetched: 80_000 }), offered("z", WITHDRAWN)]);
  expect(titles("section > ul")).toEqual(["Letter b", "Letter a"]);
  expect(titles("details")).toEqual(["Letter z"]);
  expect(page.textContent).toContain("withdrawn · Not fetched yet.");
  expect(page.textContent).toContain("Fetched, all of it.");
});
