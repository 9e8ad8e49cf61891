import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it } from "vitest";
import { documentsQuery } from "@/lib/api/documents";
import type { Contact, Document } from "@/lib/api/types";
import { OfferForm } from "./offer-dialog";

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

const ASAKO = { id: "p_1", name: "Asako" } as Contact;
const named = (title: string): Document => ({ id: `d_${title}`, title, bytes: 9 }) as Document;

it("offers what is shown as chosen and nothing else, of all documents that are found", async () => {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const found = (words: string, titles: readonly string[], more: string | null): void => {
    const items = titles.map(named);
    cache.setQueryData(documentsQuery(words, true).queryKey, {
      pages: [{ items, next_cursor: more }],
      pageParams: [""],
    });
  };
  found("", ["Canal", "Bridge"], "c_2");
  found("bridge", ["Bridge"], null);
  const page = document.createElement("div");
  document.body.append(page);
  await act(async () => {
    createRoot(page).render(
      <QueryClientProvider client={cache}>
        <OfferForm to={[ASAKO]} onMade={() => undefined} />
      </QueryClientProvider>,
    );
    await Promise.resolve();
  });
  const button = (name: string) =>
    [...page.querySelectorAll("button")].find((each) => each.textContent === name);
  const chosen = (): readonly (string | undefined)[] =>
    [...page.querySelectorAll<HTMLInputElement>(".offer-which input:checked")].map(
      (each) => each.closest("label")?.querySelector(".own")?.textContent,
    );
  const find = (words: string): Promise<void> =>
    act(async () => {
      const field = page.querySelector<HTMLInputElement>("[type=search]");
      // by the setter of the browser's own, so that React sees a change
      if (field) Reflect.set(HTMLInputElement.prototype, "value", words, field);
      field?.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => setTimeout(done, 0));
    });

  expect(button("Show more")).toBeDefined();
  expect(button("Offer it")?.disabled).toBe(true);
  await act(async () => {
    page.querySelector<HTMLInputElement>(".offer-which input")?.click();
    await Promise.resolve();
  });
  expect([chosen(), button("Offer it")?.disabled]).toEqual([["Canal"], false]);
  await find("bridge");
  expect([chosen(), button("Offer it")?.disabled]).toEqual([[], true]);
  expect(button("Show more")).toBeUndefined();
  await find("");
  expect([chosen(), button("Offer it")?.disabled]).toEqual([["Canal"], false]);
});
