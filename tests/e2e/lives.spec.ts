/**
 * What the node writes by itself: opinions with their curve, the biography with its versions, and
 * what waits to be settled.
 */
import type { APIRequestContext } from "@playwright/test";
import { expect, expectAccessible, look, test } from "./fixtures";

test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

const RETAINED = `# Of varnish

## Retain

- B I moved the workshop from Higashiyama to Teramachi on 6 April 2024.
- B I came to Kanazawa in the spring of 2009 with two planes.
- O(c=0.84) I prefer oil varnish to spirit varnish.
`;

async function told(request: APIRequestContext, day: string, text: string): Promise<void> {
  expect(
    (
      await request.post("/api/documents", {
        data: { text, title: `Of ${day}`, created_at: `${day}T12:00:00Z` },
      })
    ).ok(),
  ).toBe(true);
}

/** One look at all jobs: between two, a queued one may begin to run and pass both. */
async function ended(request: APIRequestContext, kind: string): Promise<void> {
  const jobs = async (): Promise<string[]> =>
    (
      (await (await request.get("/api/jobs")).json()) as {
        items: { kind: string; state: string }[];
      }
    ).items
      .filter((job) => job.kind === kind)
      .map((job) => job.state)
      .filter((state) => state === "running" || state === "queued");
  await expect.poll(jobs, { timeout: 60_000 }).toEqual([]);
}

test("the biography is written, opens at its places, speaks of you, and is changed with a way back", async ({
  page,
  frame,
}) => {
  await told(page.request, "2024-04-06", RETAINED);
  await told(page.request, "2025-11-02", "I sold the white van in Hirokoji on 1 November 2025.");
  await ended(page.request, "ingest");
  await page.goto("/memory?view=biography");
  const write = page.getByRole("button", { name: /^(Write it now|Update it)$/ });
  await write.click();
  const life = page.getByRole("region", { name: "Work" });
  await expect(
    life.getByRole("link", {
      name: "I moved the workshop from Higashiyama to Teramachi on 6 April 2024.",
    }),
  ).toBeVisible({ timeout: 60_000 });
  await expectAccessible(page);
  await page.locator("label", { hasText: /^You$/ }).click();
  const moved = life.getByRole("link", {
    name: "You moved the workshop from Higashiyama to Teramachi on 6 April 2024.",
  });
  await moved.click();
  const margin = page.getByRole("complementary", { name: "Sources of this sentence" });
  await expect(margin.getByRole("blockquote")).toContainText(
    "I moved the workshop from Higashiyama to Teramachi",
  );
  await margin.getByRole("button", { name: /^Open the source/ }).click();
  await expect(
    page.getByRole("region", { name: "Source", exact: true }).locator("mark").first(),
  ).toContainText("moved the workshop");
  await page.keyboard.press("Escape");
  // The sentence leaves the page before a slow list has come: the way back is offered all the same.
  await page.route("**/api/biography/versions", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue();
  });
  await margin.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(moved).toHaveCount(0);
  await expect(
    page.getByRole("navigation", { name: "Versions" }).getByRole("link", { name: /Version 2/ }),
  ).toBeVisible();
  await page
    .getByRole("navigation", { name: "Versions" })
    .getByRole("link", { name: /Version 2/ })
    .click();
  await expect(page.getByRole("heading", { name: "Changes in version 2" })).toBeVisible();
  await expect(page.getByRole("deletion")).toContainText("I moved the workshop");
  await expectAccessible(page);
  await page.getByRole("link", { name: "Back to the page" }).click();
  await frame.undo.first().click();
  await expect(moved).toBeVisible();
});

const HARBOUR = `Nora and Aksel launched the Petrel at Sandviken on 4 May 2025. Aksel tarred the Petrel at Sandviken with Nora.
Nora sails the Petrel round Sandviken every June. I helped Aksel and Nora to paint the Petrel in April 2025.`;

test("a topic of a life opens with its sentences, and one is taken out with a way back", async ({
  page,
  frame,
}) => {
  await told(page.request, "2025-05-04", HARBOUR);
  await ended(page.request, "ingest");
  for (const [path, kind] of [
    ["graph/rebuild", "graph"],
    ["reflections", "reflect"],
  ] as const) {
    expect((await page.request.post(`/api/${path}`, { data: {} })).ok()).toBe(true);
    await ended(page.request, kind);
  }
  await page.goto("/memory?view=biography");
  const topics = page.getByRole("region", { name: "Topics" });
  await topics.getByRole("link", { name: /Petrel/ }).click();
  const margin = page.getByRole("complementary", { name: "A topic" });
  const said = margin.getByRole("listitem").filter({ hasText: "sails the Petrel" });
  await expect(said).toBeVisible();
  await expectAccessible(page);
  await said.getByRole("button", { name: /^Open the source/ }).click();
  await expect(
    page.getByRole("region", { name: "Source", exact: true }).locator("mark").first(),
  ).toContainText("sails the Petrel");
  await page.keyboard.press("Escape");
  await said.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(said).toHaveCount(0);
  await frame.undo.first().click();
  await expect(said).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(margin).toHaveCount(0);
});

test("a view shows how sure it is and what speaks against it", async ({ page }) => {
  await told(page.request, "2024-04-06", RETAINED);
  await told(page.request, "2024-06-02", "I find spirit varnish better than oil varnish.");
  await ended(page.request, "ingest");
  await page.goto("/memory?view=opinions");
  const list = page.getByRole("list", { name: "Your opinions" });
  await list.getByRole("link", { name: /I prefer oil varnish to spirit varnish/ }).click();
  const one = page.getByRole("article", { name: "I prefer oil varnish to spirit varnish." });
  await expect(one.getByRole("figure", { name: "How sure, over time" })).toBeVisible();
  await expect(
    one
      .getByRole("table", { name: "What changed it" })
      .getByRole("row", { name: /You said so yourself/ }),
  ).toBeVisible();
  const against = page.getByRole("region", { name: /passages? against it/ });
  await expect(against.getByRole("blockquote").first()).toContainText(/spirit/i);
  await against
    .getByRole("button", { name: /^Open the source/ })
    .first()
    .click();
  await expect(
    page.getByRole("region", { name: "Source", exact: true }).locator("mark").first(),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await expectAccessible(page);
});

test("two facts that cannot both be so are read where they stand, and settled with a way back", async ({
  page,
  frame,
}) => {
  await told(page.request, "2024-04-06", RETAINED);
  await told(page.request, "2024-02-01", "Jonas lives in Gothenburg. I rang Jonas.");
  await told(page.request, "2025-06-01", "Jonas lives in Lund. I rang Jonas in Lund.");
  await ended(page.request, "ingest");
  expect((await page.request.post("/api/graph/rebuild")).status()).toBe(202);
  await ended(page.request, "graph");
  await page.goto("/memory");
  const pair = page
    .getByRole("article", { name: "Jonas lives in Gothenburg." })
    .filter({ hasText: "Jonas lives in Lund." });
  await expect(pair).toBeVisible();
  await expectAccessible(page);
  await pair.getByRole("button", { name: "Read both in their sources" }).click();
  const dialog = page.getByRole("dialog", { name: "Read both in their sources" });
  await expect(
    dialog.getByRole("region", { name: "The first", exact: true }).locator("mark"),
  ).toHaveText("Jonas lives in Gothenburg.");
  await expect(
    dialog.getByRole("region", { name: "The second", exact: true }).locator("mark"),
  ).toHaveText("Jonas lives in Lund.");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "It changed" }).click();
  await expect(dialog).toBeHidden();
  await expect(pair).toHaveCount(0);
  await frame.undo.first().click();
  await expect(pair).toBeVisible();
});

test("a line for memory.md is the change that it would be: worded, taken in or turned down with keys alone, each with a way back", async ({
  page,
  frame,
}) => {
  await told(page.request, "2024-04-06", RETAINED);
  await ended(page.request, "ingest");
  await page.goto("/memory?view=today");
  const core = page.getByRole("region", { name: "Suggested for memory.md" });
  const proposal = core.getByRole("article").first();
  const line = (await proposal.getAttribute("aria-label")) ?? "";
  const change = proposal.getByRole("table", { name: "What would change in memory.md" });
  await expect(change.getByRole("columnheader")).toHaveText(["memory.md now", "With this line"]);
  await expect(change.getByRole("insertion")).toHaveText(`added: - ${line}`);
  await proposal.getByRole("button", { name: "Dismiss", exact: true }).focus();
  await page.keyboard.press("c");
  const words = proposal.getByRole("textbox", { name: "Wording of the line" });
  await expect(words).toBeFocused();
  await words.fill("Oil varnish before spirit varnish.");
  await expect(change.getByRole("insertion")).toHaveText(
    "added: - Oil varnish before spirit varnish.",
  );
  await expectAccessible(page);
  await proposal.getByRole("button", { name: "Add", exact: true }).click();
  await expect(core.getByRole("article", { name: line })).toHaveCount(0);
  const lines = async (): Promise<string[]> =>
    ((await (await page.request.get("/api/workspace")).json()) as { core: { lines: string[] } })
      .core.lines;
  expect(await lines()).toContain("Oil varnish before spirit varnish.");
  await frame.undo.first().click();
  await expect(core.getByRole("article", { name: line })).toBeVisible();
  expect(await lines()).not.toContain("Oil varnish before spirit varnish.");
  // Another list that is slow keeps the buttons shut after the line has gone: the focus comes back
  // with them.
  await page.route("**/api/disagreements*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue();
  });
  await core
    .getByRole("article", { name: line })
    .getByRole("button", { name: "Add", exact: true })
    .focus();
  await page.keyboard.press("f");
  await expect(core.getByRole("article", { name: line })).toHaveCount(0);
  await expect(page.locator("body")).not.toBeFocused();
  await frame.undo.first().click();
  await expect(core.getByRole("article", { name: line })).toBeVisible();
});

test("what the node wrote by itself stands on Today, page by page, and can be taken back", async ({
  page,
}) => {
  await told(page.request, "2024-04-06", RETAINED);
  await ended(page.request, "ingest");
  expect((await page.request.post("/api/graph/rebuild")).status()).toBe(202);
  await ended(page.request, "graph");
  expect((await page.request.post("/api/reflections", { data: { since: "3000d" } })).status()).toBe(
    202,
  );
  await ended(page.request, "reflect");
  const { items } = (await (await page.request.get("/api/reflections")).json()) as {
    items: { pages: unknown[] }[];
  };
  expect(items.length, "something was written").toBeGreaterThan(0);
  await page.goto("/memory?view=today");
  const wrote = page.getByRole("region", { name: /updated$/ });
  const first = wrote.getByRole("list", { name: "The pages" }).getByRole("listitem").first();
  await first.getByRole("button", { name: /^What changed:/ }).click();
  await expect(first.getByRole("insertion").or(first.getByRole("deletion")).first()).toBeVisible();
  await expectAccessible(page);
  await wrote.getByRole("button", { name: "Undo this" }).click();
  await expect(wrote.getByRole("button", { name: "Yes, undo it" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(wrote).toContainText(/^.*Undone on/);
  await expect(wrote.getByRole("button", { name: "Undo this" })).toHaveCount(0);
});
