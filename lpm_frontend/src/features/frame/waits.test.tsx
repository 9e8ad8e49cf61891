/** What waits for the person stands at its place in the menu, in a number and in words. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it } from "vitest";
import { statusQuery } from "@/lib/api/status";
import type { Status } from "@/lib/api/types";
import { PLACES, REST } from "./places";
import { useAnyWaits, Waits } from "./waits";

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

function Menu() {
  const any = useAnyWaits(REST);
  return (
    <>
      {PLACES.map((place) => (
        <p key={place.id} id={place.id}>
          <Waits place={place} />
        </p>
      ))}
      {any ? <i>any</i> : null}
    </>
  );
}

function shown(waiting: Status["waiting"]): HTMLElement {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  cache.setQueryData(statusQuery.queryKey, { model: { state: "ready" }, waiting } as Status);
  const page = document.createElement("div");
  act(() =>
    createRoot(page).render(
      <QueryClientProvider client={cache}>
        <Menu />
      </QueryClientProvider>,
    ),
  );
  return page;
}

it("counts questions at People and invitations at Table, and nothing elsewhere", () => {
  const page = shown({ people: 2, table: 1 });
  const said = (id: string): string => page.querySelector(`#${id}`)?.textContent ?? "";
  expect(said("people")).toBe("22 questions waiting for you");
  expect(said("table")).toBe("11 invitation");
  expect(PLACES.filter((place) => said(place.id) !== "")).toHaveLength(2);
  expect(page.textContent).toContain("any");
});

it("shows nothing where nothing waits", () => {
  expect(shown({ people: 0, table: 0 }).textContent).toBe("");
});
