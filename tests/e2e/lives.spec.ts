/** What the node writes by itself: opinions with their curve, the biography with its versions, and what waits to be settled. */
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
  expect((await request.post("/api/documents", { data: { text, title: `Of ${day}`, created_at: `${day}T12:00:00Z` } })).ok()).toBe(true);
}

async function ended(request: APIRequestContext, kind: string): Promise<void> {
  const jobs = async (): Promise<string[]> => ((await (await request.get("/api/jobs")).json()) as { items: { kind: string; state: string }[] }).items.filter((job) => job.kind === kind).map((job) => job.state);
  await expect.poll(jobs, { timeout: 60_000 }).not.toContain("running");
  await expect.poll(jobs, { timeout: 60_000 }).not.toContain("queued");
}

test("the biography is written, opens at its places, speaks of you, and is changed with a way back", async ({ page, frame }) => {
  await told(page.request, "2024-04-06", RETAINED);
  await told(page.request, "2025-11-02", "I sold the white van in Hirokoji on 1 November 2025.");
  await ended(page.request, "ingest");
  await page.goto("/memory?view=biography");
  const write = page.getByRole("button", { name: /^(Write it now|Bring it up to date)$/ });
  await write.click();
  const life = page.getByRole("region", { name: "Life" });
  await expect(life.getByRole("link", { name: "I moved the workshop from Higashiyama to Teramachi on 6 April 2024." })).toBeVisible({ timeout: 60_000 });
  await expectAccessible(page);
  await page.locator("label", { hasText: /^You$/ }).click();
  const moved = life.getByRole("link", { name: "You moved the workshop from Higashiyama to Teramachi on 6 April 2024." });
  await moved.click();
  const margin = page.getByRole("complementary", { name: "What carries this sentence" });
  await expect(margin.getByRole("blockquote")).toContainText("I moved the workshop from Higashiyama to Teramachi");
  await margin.getByRole("button", { name: /^Open the place/ }).click();
  await expect(page.getByRole("region", { name: "The source" }).locator("mark").first()).toContainText("moved the workshop");
  await page.keyboard.press("Escape");
  await margin.getByRole("button", { name: "Take it out" }).click();
  await expect(moved).toHaveCount(0);
  await expect(page.getByRole("navigation", { name: "Versions" }).getByRole("link", { name: /Version 2/ })).toBeVisible();
  await page.getByRole("navigation", { name: "Versions" }).getByRole("link", { name: /Version 2/ }).click();
  await expect(page.getByRole("heading", { name: "What version 2 changed" })).toBeVisible();
  await expect(page.getByRole("deletion")).toContainText("I moved the workshop");
  await expectAccessible(page);
  await page.getByRole("link", { name: "Back to the page" }).click();
  await frame.undo.first().click();
  await expect(moved).toBeVisible();
});

test("a view shows how sure it is and what speaks against it", async ({ page }) => {
  await told(page.request, "2024-04-06", RETAINED);
  await told(page.request, "2024-06-02", "I find spirit varnish better than oil varnish.");
  await ended(page.request, "ingest");
  await page.goto("/memory?view=opinions");
  const list = page.getByRole("list", { name: "What you hold" });
  await list.getByRole("link", { name: /I prefer oil varnish to spirit varnish/ }).click();
  const one = page.getByRole("article", { name: "I prefer oil varnish to spirit varnish." });
  await expect(one.getByRole("figure", { name: "How sure, over time" })).toBeVisible();
  await expect(one.getByRole("table", { name: "What moved it" }).getByRole("row", { name: /You said so yourself/ })).toBeVisible();
  const against = page.getByRole("region", { name: /speaks? against it/ });
  await expect(against.getByRole("blockquote").first()).toContainText(/spirit/i);
  await against.getByRole("button", { name: /^Open the place/ }).first().click();
  await expect(page.getByRole("region", { name: "The source" }).locator("mark").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expectAccessible(page);
});

test("two facts that cannot both be so are settled, and a line is taken into the core, each with a way back", async ({ page, frame }) => {
  await told(page.request, "2024-04-06", RETAINED);
  await told(page.request, "2024-02-01", "Jonas lives in Gothenburg. I rang Jonas.");
  await told(page.request, "2025-06-01", "Jonas lives in Lund. I rang Jonas in Lund.");
  await ended(page.request, "ingest");
  expect((await page.request.post("/api/graph/rebuild")).status()).toBe(202);
  await ended(page.request, "graph");
  await page.goto("/memory");
  const pair = page.getByRole("article", { name: "Jonas lives in Gothenburg." }).filter({ hasText: "Jonas lives in Lund." });
  await expect(pair).toBeVisible();
  await expectAccessible(page);
  await pair.getByRole("button", { name: "It changed" }).click();
  await expect(pair).toHaveCount(0);
  await frame.undo.first().click();
  await expect(pair).toBeVisible();
  const core = page.getByRole("region", { name: "For what the node always has in mind" });
  const line = (await core.getByRole("blockquote").first().innerText()).trim();
  await core.getByRole("button", { name: "Take in" }).first().click();
  await expect(core.getByText(line, { exact: true })).toHaveCount(0);
  const lines = async (): Promise<string[]> => ((await (await page.request.get("/api/workspace")).json()) as { core: { lines: string[] } }).core.lines;
  expect(await lines()).toContain(line);
  await frame.undo.first().click();
  await expect(core.getByText(line, { exact: true })).toBeVisible();
  expect(await lines()).not.toContain(line);
});
