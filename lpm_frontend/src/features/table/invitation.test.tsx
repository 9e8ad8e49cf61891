import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it } from "vitest";
import type { DiscussionDetail } from "@/lib/api/types";
import { isComing } from "@/lib/api/discussions";
import { tableEn } from "@/lib/i18n/en-table";
import { tableJa } from "@/lib/i18n/ja-table";
import { Invitation } from "./invitation";
import { standing } from "./views";

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

const TABLE: DiscussionDetail = {
  id: "t_1",
  aim: "Where do we walk?",
  state: "open",
  template: "",
  strategy: "round_robin",
  rounds: 3,
  round: 1,
  stop: [],
  until: "2999-03-21T12:00:00Z",
  opened_at: "2026-03-14T11:00:00Z",
  changed_at: "2026-03-14T11:00:00Z",
  tags: [],
  members: [],
  turns: 0,
  entries: 1,
  head: "h",
  why: null,
  host: "p_1",
  host_name: "Asako",
  invitation: "invited",
  grant: null,
  items: [],
};

async function shown(table: DiscussionDetail): Promise<HTMLElement> {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const page = document.createElement("div");
  document.body.append(page);
  await act(async () => {
    createRoot(page).render(
      <QueryClientProvider client={cache}>
        <Invitation table={table} />
      </QueryClientProvider>,
    );
    await new Promise((done) => setTimeout(done, 0));
  });
  return page;
}

const press = (page: HTMLElement, name: string): Promise<void> =>
  act(async () => {
    [...page.querySelectorAll("button")].find((each) => each.textContent === name)?.click();
    await new Promise((done) => setTimeout(done, 0));
  });

it("lets nobody sit down without a tag, and says who runs the table", async () => {
  const page = await shown(TABLE);
  expect(page.textContent).toContain("Asako invites your second self to this table.");
  await press(page, "Sit down");
  expect(page.querySelector("[role=alert]")?.textContent).toBe("Choose at least one tag");
});

it("says what was granted, and that one is gone", async () => {
  const grant = {
    id: "g",
    tags: ["walks"],
    form: "excerpt",
    turns: 30,
    spent: 2,
    until: "2999-03-21T12:00:00Z",
    revoked: false,
  };
  const there = await shown({ ...TABLE, invitation: "accepted", grant });
  expect(there.textContent).toContain("Your second self may use: walks (excerpts).");
  expect(there.textContent).toContain("2 of 30 turns used.");
  const gone = await shown({ ...TABLE, invitation: "left" });
  expect(gone.textContent).toContain("You left this table.");
  expect(gone.querySelector("button")).toBeNull();
});

it("says before one sits down what stays with the others, and until when", async () => {
  const page = await shown(TABLE);
  expect(page.textContent).toContain("sees the whole record and keeps a copy");
  expect(page.textContent).toContain("asked to strike it, but you cannot force them");
  expect(page.textContent).toMatch(/The table closes by .*2999/);
});

it("says that an invitation was taken back, or that the table is over", async () => {
  const back = await shown({ ...TABLE, invitation: "withdrawn" });
  expect(back.textContent).toContain("Asako took this invitation back");
  expect(back.querySelector("button")).toBeNull();
  const over = await shown({ ...TABLE, invitation: "expired" });
  expect(over.textContent).toContain("This table was over before you sat down.");
  expect(standing({ ...TABLE, invitation: "withdrawn" }, tableEn)).toBe("invitation taken back");
  expect(standing({ ...TABLE, invitation: "expired" }, tableJa)).toBe("招待の期限切れ");
});

it("waits to be let in only until one of one’s own sits there", () => {
  const member = { id: "m2", kind: "twin", name: "Bram", role: "", due: false } as const;
  const coming = { ...member, present: false, turns: 0, failed: false, state: "coming" } as const;
  const table = { ...TABLE, invitation: "accepted", members: [coming] } as const;
  expect(isComing({ ...table, members: [coming] })).toBe(true);
  expect(isComing({ ...table, members: [{ ...coming, present: true, state: "here" }] })).toBe(
    false,
  );
  expect(isComing({ ...TABLE, members: [coming] })).toBe(false);
});
