/**
 * One page says who can reach what, from where and since when, and what has left; every row has
 * what closes it.
 */
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, expectAccessible, look, test } from "./fixtures";
import { startNode } from "./node";

const ROOT = resolve(__dirname, "..", "..");
const STARTS_MS = 60_000;
const befriend = (...words: readonly string[]): string =>
  execFileSync(
    join(ROOT, ".venv", "bin", "python"),
    [join(ROOT, "tests", "e2e", "befriend.py"), ...words],
    { env: { ...process.env, PYTHONPATH: ROOT } },
  )
    .toString()
    .trim();

test.describe.configure({ mode: "serial" });
test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

test("a program, a browser and the ports show, and each is closed from here", async ({
  page,
  browser,
  node,
}) => {
  const made = (await (
    await page.request.post("/api/keys", { data: { name: "Editor", scopes: ["recall"] } })
  ).json()) as { key: string };
  const asks = async (): Promise<number> =>
    (
      await fetch(`${node.address}/api/documents`, {
        headers: { authorization: `Bearer ${made.key}` },
      })
    ).status;
  const other = await browser.newContext({ baseURL: node.address });
  const theirs = await other.newPage();
  await theirs.goto(node.login());

  await page.goto("/exposure");
  await expect(page.getByRole("heading", { level: 2 }).first()).toHaveText(
    /^1 program has a key\. /,
  );
  const listens = page.getByRole("region", { name: "Open ports" });
  await expect(listens).toContainText(new URL(node.address).host);
  await expect(listens.getByText("from this machine only").first()).toBeVisible();
  await expect(listens).toContainText("Nothing listens for contacts.");
  const programs = page.getByRole("list", { name: "Programs with a key" });
  await expect(programs).toContainText("may search your memories");
  await expect(programs).toContainText("not used yet");
  expect(await asks()).toBe(200);
  await page.reload();
  await expect(programs).toContainText("last used");
  const browsers = page.getByRole("list", { name: "Browsers that are signed in" });
  await expect(browsers.getByText("this one", { exact: true })).toHaveCount(1);
  await expectAccessible(page, "who can reach what");

  await programs.getByRole("button", { name: "Revoke the key of Editor" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("No program has a key.")).toBeVisible();
  expect(await asks()).toBe(401);
  await browsers
    .getByRole("listitem")
    .filter({ hasNotText: "this one" })
    .first()
    .getByRole("button", { name: /^Sign out/ })
    .click();
  await expect.poll(async () => (await theirs.request.get("/api/status")).status()).toBe(401);
  await other.close();
});

test("what listens for contacts shows while it does, and is ended from here", async ({ page }) => {
  expect((await page.request.put("/api/network/reach", { data: { on: true } })).ok()).toBe(true);
  await page.goto("/exposure");
  const listens = page.getByRole("region", { name: "Open ports" });
  await expect(listens.getByText("For contacts")).toBeVisible({ timeout: STARTS_MS });
  await listens.getByRole("button", { name: "Stop listening" }).click();
  await expect(listens).toContainText("Nothing listens for contacts.", { timeout: STARTS_MS });
});

test("a contact shows with what they may ask, which is revoked from here", async ({ page }) => {
  test.setTimeout(120_000);
  const own = await startNode(); // whom this node knows stays with it
  try {
    await page.goto(own.login());
    const call = (path: string): string => `${own.address}${path}`;
    expect(
      (await page.request.put(call("/api/identity"), { data: { name: "Nagi Sorrel" } })).ok(),
    ).toBe(true);
    expect((await page.request.put(call("/api/settings"), { data: { language: "en" } })).ok()).toBe(
      true,
    );
    const contact = befriend(own.home);
    expect(
      (
        await page.request.post(call("/api/grants"), {
          data: { contact, template: "answers", purpose: "a visit" },
        })
      ).status(),
    ).toBe(201);
    await page.goto(call("/exposure"));
    const granted = page.getByRole("list", { name: "What Mai Kurose may ask" });
    await expect(granted).toContainText("may ask questions about everything that is not private");
    await expect(granted).toContainText("you are asked first");
    await expect(granted).toContainText("has not asked yet");
    await granted.getByRole("button", { name: "Revoke the grant for Mai Kurose: a visit" }).click();
    await expect(page.getByText("No grant: every question is refused.")).toBeVisible();
    await page.setViewportSize({ width: 390, height: 844 });
    expect((await page.request.put(call("/api/settings"), { data: { language: "ja" } })).ok()).toBe(
      true,
    );
    await page.reload();
    await expect(page.getByRole("heading", { level: 1, name: "誰が何を使えるか" })).toBeVisible();
    await expectAccessible(page, "who can reach what, on a phone");
  } finally {
    await page.goto("about:blank");
    await own.stop();
  }
});
