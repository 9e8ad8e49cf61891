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
  told: true,
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

async function shown(): Promise<{
  page: HTMLElement;
  show: (items: readonly Offer[], at?: string) => Promise<void>;
}> {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const show = (items: readonly Offer[], at?: string): Promise<void> =>
    act(async () => {
      const data = { items: [...items], next_cursor: null };
      const updatedAt = at === undefined ? Date.now() : Date.parse(at);
      cache.setQueryData(offersQuery.queryKey, data, { updatedAt });
      // those who look on are told in a turn of their own
      await new Promise((done) => setTimeout(done, 0));
    });
  const page = document.createElement("div");
  document.body.append(page);
  await show([]);
  await act(async () => {
    createRoot(page).render(
      <QueryClientProvider client={cache}>
        <OffersOf contact={ASAKO} />
      </QueryClientProvider>,
    );
    await Promise.resolve();
  });
  return { page, show };
}

it("keeps what is decided where it was, and folds away what was over before", async () => {
  const { page, show } = await shown();
  const titles = (where: string): readonly (string | null)[] =>
    [...page.querySelectorAll(`${where} .offer-title`)].map((each) => each.textContent);
  await show([offered("a"), offered("z", WITHDRAWN)]);
  expect(titles("section > ul")).toEqual(["Letter a"]);
  expect(titles("details")).toEqual(["Letter z"]);

  // one that came while one looked on, and is withdrawn
  await show([offered("b"), offered("a", { fetched: 40_000 }), offered("z", WITHDRAWN)]);
  await show([offered("b", WITHDRAWN), offered("a", { fetched: 80_000 }), offered("z", WITHDRAWN)]);
  expect(titles("section > ul")).toEqual(["Letter b", "Letter a"]);
  expect(titles("details")).toEqual(["Letter z"]);
  expect(page.textContent).toContain("withdrawn · Not fetched.");
  expect(page.textContent).toContain("Fetched, all of it.");
});

it("says what was never delivered, and what is not delivered yet", async () => {
  const { page, show } = await shown();
  const said = (): string => page.querySelector(".offer-list [role=status]")?.textContent ?? "";
  await show([offered("a", { told: false })]);
  expect(said()).toBe("Not delivered yet.");
  await show([offered("a")]);
  expect(said()).toBe("Not fetched yet.");
  await show([offered("a", { told: false, ...WITHDRAWN })]);
  expect(said()).toBe("withdrawn · Never delivered.");
});

it("goes on with the time", async () => {
  const { page, show } = await shown();
  const offer = offered("a", { until: "2026-03-21T12:00:00Z" });
  const line = (): string | undefined => page.querySelector(".offer-list")?.textContent;
  await show([offer], "2026-03-21T11:59:50Z");
  expect(line()).toContain("Withdraw");
  await show([offer], "2026-03-21T12:00:00Z");
  expect(line()).toContain("over · Not fetched.");
  expect(line()).not.toContain("Withdraw");
});

it("keeps the focus in the row that something was done about", async () => {
  const { page, show } = await shown();
  await show([offered("a"), offered("b"), offered("c", { ours: false })]);
  const rows = (): readonly Element[] => [...page.querySelectorAll(".offer-list > li")];
  const row = (title: string) => rows().find((each) => each.textContent.includes(title));
  row("Letter b")?.querySelector("button")?.focus();
  expect(document.activeElement?.textContent).toBe("Withdraw");
  await show([offered("a"), offered("b", WITHDRAWN), offered("c", { ours: false })]);
  expect(row("Letter b")?.contains(document.activeElement)).toBe(true);
});
