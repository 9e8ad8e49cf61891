import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { describe, expect, it } from "vitest";
import { inMindQuery } from "@/lib/api/conversations";
import type { InMind as Lines } from "@/lib/api/types";
import type { NoteOf } from "./exchanges";
import { byKind, InMind } from "./in-mind";

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

const lines: Lines = {
  items: [
    { kind: "topics", line: "topic-1", name: "accordion" },
    { kind: "topics", line: "topic-2", name: "van" },
    { kind: "people", line: "person-1", name: "Farah" },
  ],
  gone: 1,
};
const late: NoteOf = {
  key: "c",
  n: null,
  quote: "I am afraid of the exam.",
  author: null,
  title: "Exam",
  documentKind: "transcript",
  kind: "turn",
  confidence: null,
  source: "conversations/v_1#T1",
  anchor: null,
  document: "h_1",
  start: 0,
  end: 24,
  private: true,
  saidIn: { conversation: "v_1", title: "Exam", turn: "t_1" },
  struck: false,
  item: undefined,
};

async function shown(
  answer: { id: string; inMind: number },
  lately: readonly NoteOf[],
): Promise<HTMLElement> {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  cache.setQueryData(inMindQuery("v_9", "t_9").queryKey, lines);
  const page = document.createElement("div");
  await act(async () => {
    createRoot(page).render(
      <QueryClientProvider client={cache}>
        <InMind conversation="v_9" answer={answer} lately={lately} />
      </QueryClientProvider>,
    );
    await Promise.resolve();
  });
  return page;
}

describe("what else a model was given", () => {
  it("stands closed, and opens with a way to where each comes from", async () => {
    const page = await shown({ id: "t_9", inMind: 4 }, [late]);
    const button = page.querySelector("button");
    expect(button?.textContent).toContain("1 recent conversation, 4 lines of your profile");
    expect(page.querySelectorAll("a")).toHaveLength(0);
    await act(async () => {
      button?.click();
      await Promise.resolve();
    });
    expect(button?.getAttribute("aria-expanded")).toBe("true");
    expect([...page.querySelectorAll("h3")].map((each) => each.textContent)).toEqual([
      "Recent conversations",
      "From your profile",
    ]);
    expect([...page.querySelectorAll("a")].map((each) => each.getAttribute("href"))).toEqual([
      "/?id=v_1&turn=t_1",
      "/memory?view=profile&line=topic-1",
      "/memory?view=profile&line=topic-2",
      "/memory?view=profile&line=person-1",
    ]);
    expect(page.textContent).toContain("1 more is hidden or not there any more.");
  });

  it("is not there where nothing was, or while it is being written", async () => {
    expect((await shown({ id: "t_9", inMind: 0 }, [])).innerHTML).toBe("");
    expect((await shown({ id: "", inMind: 4 }, [late])).innerHTML).toBe("");
  });

  it("groups lines by what they stand for", () => {
    expect([...byKind(lines.items)].map(([kind, those]) => [kind, those.length])).toEqual([
      ["topics", 2],
      ["people", 1],
    ]);
  });
});
