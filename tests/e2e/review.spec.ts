/** Going through suggestions: by keys, many at once, with the way back, and when the node is gone. */
import { expect, expectAccessible, look, test } from "./fixtures";

const PEOPLE = ["Ottilie", "Halvard", "Sunniva", "Edda", "Colm", "Nora"];
const LEDGER = PEOPLE.flatMap((name, n) =>
  ["Bergen", "Turku"].map(
    (place, at) => `${name} moved to ${place} in May ${String(1990 + 2 * n + at)}.`,
  ),
).join("\n\n");

interface Listed {
  readonly total: number;
  readonly items: readonly { readonly id: string; readonly content: string }[];
}

test("suggestions are kept and dismissed by keys, in ranges and all at once, and taken back", async ({
  page,
}) => {
  await look(page.request, { language: "en" });
  const sent = await page.request.post("/api/documents", {
    multipart: {
      file: { name: "ledger.txt", mimeType: "text/plain", buffer: Buffer.from(LEDGER) },
    },
  });
  expect(sent.status()).toBe(202);
  const waiting = async (): Promise<Listed> =>
    (await (await page.request.get("/api/findings?every=true&limit=500")).json()) as Listed;
  const read = async (): Promise<number> =>
    (await waiting()).items.filter((each) => each.content.includes(" in May ")).length;
  await expect.poll(read, { timeout: 30_000 }).toBe(PEOPLE.length * 2);
  const { total, items } = await waiting();
  const all = Math.min(total, 50);

  await page.goto("/memory?view=today");
  await page.getByRole("link", { name: "Go through all suggestions" }).click();
  const rows = page.getByRole("list", { name: "Suggestions that wait" }).getByRole("listitem");
  await expect(rows).toHaveCount(all);
  await expect(page.getByText(`0 of ${String(total)}`, { exact: true })).toBeVisible();
  await expectAccessible(page);

  // one by one
  await page.keyboard.press("j");
  await page.keyboard.press("a");
  await expect(rows.nth(0).getByText("kept")).toBeVisible();
  await page.keyboard.press("d");
  await expect(rows.nth(1).getByText("dismissed")).toBeVisible();
  await expect(page.getByText(`2 of ${String(total)}`, { exact: true })).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "Dismissed 1 suggestion" })).toHaveCount(
    1,
  );
  await expect.poll(async () => (await waiting()).total).toBe(total - 2);

  // a range
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await expect(page.getByText("3 selected")).toBeVisible();
  await page.keyboard.press("a");
  await expect(page.getByText(`5 of ${String(total)}`, { exact: true })).toBeVisible();
  await expect.poll(async () => (await waiting()).total).toBe(total - 5);
  await page.keyboard.press("u");
  await expect.poll(async () => (await waiting()).total).toBe(total - 2);

  // all that are shown, and back
  await page.getByRole("button", { name: /^Dismiss all/u }).click();
  await expect.poll(async () => (await waiting()).total).toBe(total - all);
  await page.keyboard.press("u");
  await page.keyboard.press("u");
  await page.keyboard.press("u");
  await expect.poll(async () => (await waiting()).total).toBe(total);
  await expect(page.getByText(`0 of ${String(total)}`, { exact: true })).toBeVisible();
  expect((await waiting()).items).toEqual(items);

  // the place opens beside it
  await rows
    .nth(0)
    .getByRole("button", { name: /Open the source/u })
    .click();
  await expect(page.getByRole("complementary", { name: "Source" })).toBeVisible();
});

test("what cannot be saved still waits and is saved when asked again", async ({
  page,
  expected,
}) => {
  expected.push(/ERR_CONNECTION_REFUSED|Failed to load resource/);
  await look(page.request, { language: "en" });
  // from the first request on, so that none is on its way past it
  let gone = false;
  await page.route("**/api/findings/bulk", (route) =>
    gone ? route.abort("connectionrefused") : route.continue(),
  );
  await page.goto("/memory?view=review");
  const rows = page.getByRole("list", { name: "Suggestions that wait" }).getByRole("listitem");
  await expect(rows.nth(1)).toBeVisible();
  gone = true;
  await page.keyboard.press("a");
  await page.keyboard.press("d");
  await expect(rows.nth(0).getByText("not saved")).toBeVisible();
  await expect(
    page.getByText("2 decisions are not saved. The suggestions still wait."),
  ).toBeVisible();
  await expectAccessible(page);
  gone = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(rows.nth(0).getByText("kept")).toBeVisible();
  await expect(rows.nth(1).getByText("dismissed")).toBeVisible();
  await page.keyboard.press("u");
  await page.keyboard.press("u");
  await expect(rows.nth(0).getByText("kept")).toBeHidden();
});
