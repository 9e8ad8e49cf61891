/** The list on a page: by keys, and as one hears it. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingsQuery } from "@/lib/api/identity";
import type { Finding, Settings } from "@/lib/api/types";
import { send } from "@/lib/commands";
import { undoLast } from "@/lib/undo";
import { ReviewList } from "./list";
import { begun, finding, NodeTwin } from "./node-twin";
import type { Session } from "./session";

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
// what this imitation of a browser lacks
globalThis.ResizeObserver = class {
  observe = (): void => undefined;
  unobserve = (): void => undefined;
  disconnect = (): void => undefined;
};
Element.prototype.scrollIntoView = () => undefined;

const TEN = Array.from({ length: 10 }, (_, n) => finding(n));
let leave: () => void = () => undefined;
let opened: Finding[] = [];
beforeEach(() => {
  opened = [];
});
afterEach(() => act(() => leave()));

async function shown(session: Session, singleKeys = true): Promise<HTMLElement> {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  cache.setQueryData(settingsQuery.queryKey, { single_keys: singleKeys } as Settings);
  const page = document.createElement("div");
  document.body.append(page);
  const root = createRoot(page);
  leave = () => {
    root.unmount();
    page.remove();
  };
  await act(async () => {
    root.render(
      <QueryClientProvider client={cache}>
        <ReviewList session={session} shown="" onOpen={(each) => opened.push(each)} />
      </QueryClientProvider>,
    );
    await Promise.resolve();
  });
  return page;
}
async function press(session: Session, key: string, more: KeyboardEventInit = {}): Promise<void> {
  await act(async () => {
    (document.activeElement ?? document.body).dispatchEvent(
      new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }),
    );
    await session.settled();
    await new Promise((resolve) => requestAnimationFrame(resolve));
  });
}
const step = (by: 1 | -1): Promise<void> =>
  act(async () => {
    send("step", { by });
    await new Promise((resolve) => requestAnimationFrame(resolve));
  });
const rows = (page: HTMLElement): Element[] => [...page.querySelectorAll("ul > li")];
const words = (page: HTMLElement): string[] =>
  rows(page).map((row) => row.querySelector(".review-acts")?.textContent ?? "");
const told = (page: HTMLElement): string =>
  page.querySelector("p.sr[role=status]")?.textContent ?? "";
const here = (): string => document.activeElement?.textContent ?? "";

describe("the list of suggestions", () => {
  it("is a list in which one row is in the order of the Tab key", async () => {
    const page = await shown(await begun(new NodeTwin(TEN)));
    expect(page.querySelector("ul")?.getAttribute("aria-label")).toBe("Suggestions that wait");
    expect(rows(page)).toHaveLength(4);
    expect(rows(page).map((row) => row.querySelectorAll("[tabindex='0']").length)).toEqual([
      4, 0, 0, 0,
    ]);
    expect(page.querySelector(".review-progress")?.textContent).toBe("0 of 10");
    expect(page.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow")).toBe("0");
    expect(page.querySelector("li button")?.getAttribute("aria-label")).toBe(
      "Sentence 0. Open the source: Diary",
    );
  });

  it("keeps, dismisses and undoes by one key each, goes on, and says so", async () => {
    const node = new NodeTwin(TEN);
    const session = await begun(node);
    const page = await shown(session);
    await step(1);
    expect(here()).toBe("Sentence 0.");
    await press(session, "a");
    expect(here()).toBe("Sentence 1.");
    expect(told(page)).toBe("Kept 1 suggestion. 1 of 10.");
    await press(session, "d");
    expect(words(page)).toEqual(["kept", "dismissed", "", ""]);
    expect(here()).toBe("Sentence 2.");
    await step(-1);
    await step(-1);
    await press(session, "a"); // it is decided: nothing is meant
    expect([...node.decided.values()].map(({ verdict }) => verdict)).toEqual(["keep", "dismiss"]);
    await press(session, "u");
    await press(session, "u");
    expect(words(page)).toEqual(["", "", "", ""]);
    expect(told(page)).toBe("1 suggestion waits again. 0 of 10.");
    expect(node.decided.size).toBe(0);
  });

  it("selects with Shift, decides about all of it, and the house takes it back", async () => {
    const node = new NodeTwin(TEN);
    const session = await begun(node);
    const page = await shown(session);
    await step(1);
    await press(session, "ArrowDown");
    await press(session, "ArrowDown", { shiftKey: true });
    await press(session, "J", { shiftKey: true });
    expect(page.querySelectorAll("input:checked")).toHaveLength(3);
    await press(session, "d");
    expect(words(page)).toEqual(["", "dismissed", "dismissed", "dismissed"]);
    await act(async () => {
      undoLast();
      await session.settled();
    });
    expect(node.decided.size).toBe(0);
    await press(session, "A", { shiftKey: true });
    expect(words(page)).toEqual(["kept", "kept", "kept", "kept"]);
    expect(told(page)).toBe("Kept 4 suggestions. 4 of 10.");
  });

  it("says what is not saved, and saves it when asked again", async () => {
    const node = new NodeTwin(TEN);
    const session = await begun(node);
    const page = await shown(session);
    node.broken = true;
    await step(1);
    await press(session, "a");
    expect(page.querySelector("[role=alert]")?.textContent).toContain("1 decision is not saved.");
    expect(words(page)[0]).toBe("not saved");
    node.broken = false;
    const again = [...page.querySelectorAll("[role=alert] button")].find(
      (button) => button.textContent === "Try again",
    );
    await act(async () => {
      (again as HTMLButtonElement | undefined)?.click();
      await session.settled();
    });
    expect(words(page)[0]).toBe("kept");
    expect(page.querySelector("[role=alert]")).toBeNull();
  });

  it("opens the place of a row, and leaves letters to whoever wants none", async () => {
    const node = new NodeTwin(TEN);
    const session = await begun(node);
    const page = await shown(session, false);
    await act(async () => {
      rows(page)[2]?.querySelector<HTMLButtonElement>(".review-words")?.click();
      await Promise.resolve();
    });
    expect(opened.map(({ content }) => content)).toEqual(["Sentence 2."]);
    await press(session, "a");
    expect(node.decided.size).toBe(0);
    await act(async () => {
      page.querySelector<HTMLButtonElement>("button[title=Keep]")?.click();
      await session.settled();
    });
    expect(node.decided.size).toBe(1);
  });
});
