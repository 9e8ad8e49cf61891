/** An entry of today from anywhere, and what earlier years hold of this day. */
import type { APIRequestContext } from "@playwright/test";
import { expect, expectAccessible, look, test as base } from "./fixtures";
import { startNode, type RunningNode } from "./node";
import { Capture } from "./pages/capture";

// Each worker writes into a home of its own: others count what theirs hold.
const test = base.extend<{ capture: Capture }, { diary: RunningNode }>({
  diary: [
    async ({ playwright }, use) => {
      const node = await startNode();
      const request = await playwright.request.newContext(node.signedIn);
      await request.put("/api/identity", {
        data: { name: "Nagi Sorrel", introduction: "", style: "", languages: ["en"] },
      });
      await request.dispose();
      await use(node);
      await node.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],
  baseURL: async ({ diary }, use) => use(diary.address),
  storageState: async ({ diary }, use) => use(diary.signedIn.storageState),
  capture: async ({ page }, use) => use(new Capture(page)),
});

test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

/** A day of the person's calendar, so many days from today and years before it. */
function day(days: number, years = 0): string {
  const today = new Date(
    `${new Date().toLocaleDateString("sv", { timeZone: "Asia/Tokyo" })}T12:00Z`,
  );
  today.setUTCDate(today.getUTCDate() + days);
  today.setUTCFullYear(today.getUTCFullYear() - years);
  return today.toISOString().slice(0, 10);
}

interface Known {
  readonly id: string;
  readonly title: string;
  readonly folder: string;
  readonly private: boolean;
  readonly created_at: string;
}
const documents = async (request: APIRequestContext): Promise<readonly Known[]> =>
  ((await (await request.get("/api/documents")).json()) as { items: Known[] }).items;

async function add(request: APIRequestContext, name: string, text: string): Promise<void> {
  const file = { name, mimeType: "text/markdown", buffer: Buffer.from(text) };
  const made = await request.post("/api/documents", { multipart: { file } });
  const { document } = (await made.json()) as { document: { id: string } };
  await expect
    .poll(async () => {
      const known = await request.get(`/api/documents/${document.id}`);
      return ((await known.json()) as { state: string }).state;
    })
    .toBe("ready");
}

test("one key, a few words, and it is found; one press takes it back", async ({
  page,
  capture,
  frame,
}) => {
  await page.goto("/library");
  await expect(page.getByRole("heading", { level: 1, name: "Library" })).toBeVisible();
  await capture.open();
  await expect(capture.field).toBeFocused();
  await expect(capture.save).toBeDisabled();
  await expect(capture.goingOn).toHaveCount(0);
  await expectAccessible(page);
  await capture.field.fill("Kettle on. Strung the theorbo for Ottilie.");
  await page.keyboard.press("Control+Enter");
  await expect(capture.sheet).toBeHidden();
  const [entry] = await documents(page.request);
  expect(entry?.folder).toBe("Diary");
  expect(Date.now() - Date.parse(entry?.created_at ?? "")).toBeLessThan(300_000);
  await expect
    .poll(async () => {
      const found = await page.request.post("/api/recall", { data: { query: "theorbo", k: 1 } });
      return ((await found.json()) as { items: { content: string }[] }).items[0]?.content;
    })
    .toContain("Strung the theorbo");

  await expect(page.getByText("Entry saved.").first()).toBeVisible();
  await frame.undo.first().click();
  await expect.poll(() => documents(page.request)).toEqual([]);
  await capture.open();
  await expect(capture.field).toHaveValue("Kettle on. Strung the theorbo for Ottilie.");
  await capture.field.fill("");
});

test("what is written outlasts the page, and two entries of a day are two", async ({
  page,
  capture,
}) => {
  const before = (await documents(page.request)).length;
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.getByRole("button", { name: "Write today’s entry" }).first().click();
  await capture.field.fill("Rain.");
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await capture.open();
  await expect(capture.field).toHaveValue("Rain.");
  await capture.sheet.getByRole("checkbox", { name: "Private" }).check();
  await capture.save.click();
  await expect(capture.sheet).toBeHidden();
  // the second of the clock moves on, so that the same words have a moment of their own
  const second = Math.floor(Date.now() / 1_000);
  await expect.poll(() => Math.floor(Date.now() / 1_000)).toBeGreaterThan(second);
  await capture.open();
  await expect(capture.field).toHaveValue("");
  await capture.field.fill("Rain.");
  await capture.save.click();
  await expect(capture.sheet).toBeHidden();
  const [late, early, ...rest] = await documents(page.request);
  expect(rest).toHaveLength(before);
  expect([early?.private, late?.private]).toEqual([true, false]);
  expect(early?.created_at).not.toBe(late?.created_at);
});

test("a node that is gone loses no word, and a lost answer makes no second entry", async ({
  page,
  capture,
  expected,
}) => {
  expected.push(/ERR_CONNECTION_REFUSED|ERR_FAILED|Failed to load resource/);
  const before = (await documents(page.request)).length;
  await page.goto("/roles");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await capture.open();
  await capture.field.fill("Glue would not set.");
  await page.route("**/api/documents", (route) => route.abort("connectionrefused"));
  await capture.save.click();
  await expect(capture.sheet.getByText("The node is not responding.")).toBeVisible();
  await expect(capture.sheet.getByText("Your words are kept in this browser")).toBeVisible();
  await expect(capture.field).toHaveValue("Glue would not set.");
  await page.unroute("**/api/documents");
  // this time it arrives, and only the answer is lost
  await page.route("**/api/documents", async (route) => {
    await route.fetch();
    await route.abort("connectionrefused");
  });
  await capture.save.click();
  await expect.poll(async () => (await documents(page.request)).length).toBe(before + 1);
  await expect(capture.save).toBeEnabled();
  await page.unroute("**/api/documents");
  await capture.save.click();
  await expect(capture.sheet).toBeHidden();
  expect(await documents(page.request)).toHaveLength(before + 1);
});

test("prompts are what was said, and open or begin from there", async ({ page, capture }) => {
  await add(page.request, `${day(-1)}.md`, "Tomorrow the varnish arrives from Cremona.");
  await add(page.request, `${day(-2)} b.md`, "Mr Ide said that the room is damp. Mr Ide laughed.");
  await add(page.request, `${day(-3)} c.md`, "I had tea with Mr Ide at the mill.");
  await add(page.request, `${day(-4)} d.md`, "I walked home with Mr Ide.");
  expect((await page.request.post("/api/graph/rebuild")).status()).toBe(202);
  await expect
    .poll(async () => {
      const found = await page.request.get(`/api/timeline/occasions?on=${day(0)}`);
      return ((await found.json()) as { named: unknown[] }).named.length;
    })
    .toBe(1);
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await capture.open();
  await expect(capture.goingOn.getByText("Tomorrow the varnish arrives")).toBeVisible();
  await capture.goingOn.getByRole("button", { name: /^Mr Ide came up on/ }).click();
  await expect(capture.field).toHaveValue("Mr Ide ");
  await expect(capture.field).toBeFocused();
  await expectAccessible(page);
  await capture.goingOn.getByRole("link", { name: /^Open the source in/ }).click();
  await expect(capture.sheet).toBeHidden();
  await expect(page.locator("mark").first()).toHaveText(/Tomorrow the varnish arrives/);
});

test("the key rests where single keys are off; on a phone one tap writes", async ({
  page,
  capture,
}) => {
  expect(
    (
      await page.request.put("/api/settings", {
        data: { language: "en", theme: "light", single_keys: false },
      })
    ).ok(),
  ).toBe(true);
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await capture.open();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(capture.sheet).toBeHidden();
  const tabs = page.getByRole("navigation", { name: "Main menu" });
  await tabs.getByRole("button", { name: "Write today’s entry" }).click();
  await expect(capture.field).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(tabs.getByRole("link")).toHaveCount(3);
  await tabs.getByRole("button", { name: "More" }).click();
  const more = page.getByRole("dialog", { name: "More" });
  await expectAccessible(page);
  await more.getByRole("button", { name: "Switch to the dark theme" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expectAccessible(page);
  await more.getByRole("link", { name: "Training" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Training" })).toBeVisible();
  await expect(more).toBeHidden();
  await tabs.getByRole("button", { name: "More" }).click();
  await more.getByRole("button", { name: "Search or run a command" }).click();
  await expect(page.getByRole("combobox", { name: "Search or run a command" })).toBeFocused();
  await page.keyboard.press("Escape");
  await look(page.request, { language: "ja", theme: "dark" });
  await page.goto("/library");
  await page.getByRole("button", { name: "今日の記録を書く" }).last().click();
  await expect(capture.field).toBeFocused();
  await expectAccessible(page);
});

test("this day of earlier years comes back, and opens where it stands", async ({ page }) => {
  // a leap year ago, whatever day it is
  await add(page.request, `${day(0, 4)}.md`, "I live in Ghent with Osman and his brother.");
  await page.goto("/memory?view=today");
  const then = page.getByRole("region", { name: "On this day" });
  await expect(then.getByText("4 years ago")).toBeVisible();
  await then.getByRole("link").click();
  await expect(page.locator("mark").first()).toHaveText(/I live in Ghent/);
});
