/** The home as a whole: handed out, backed up, checked, and a document that is erased for good. */
import { expect, expectAccessible, look, test } from "./fixtures";

test.beforeEach(async ({ page }) => {
  await look(page.request, { language: "en" });
});

test("an archive is made and downloaded", async ({ settings, page }) => {
  await settings.open();
  const data = settings.section("Your data");
  await data.getByRole("button", { name: "Create an archive" }).click();
  const link = data.getByRole("link", { name: "Download" }).first();
  await expect(link).toBeVisible({ timeout: 20_000 });
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  expect(download.suggestedFilename()).toMatch(/^second-me-.*\.zip$/);
  await data.getByLabel("Choose an archive").setInputFiles((await download.path()) ?? "");
  await expect
    .poll(
      async () =>
        (
          (await (await page.request.get("/api/jobs")).json()) as {
            items: { kind: string; state: string }[];
          }
        ).items.find((job) => job.kind === "import")?.state,
      { timeout: 20_000 },
    )
    .toBe("succeeded");
});

test("what is no archive is refused in words", async ({ settings }) => {
  await settings.open();
  const data = settings.section("Your data");
  await data.getByLabel("Choose an archive").setInputFiles({
    name: "not.zip",
    mimeType: "application/zip",
    buffer: Buffer.from("no zip at all"),
  });
  await expect(data.getByText("The archive cannot be used").first()).toBeVisible({
    timeout: 20_000,
  });
});

test("a backup is made and says how to bring it back", async ({ settings }) => {
  await settings.open();
  const data = settings.section("Your data");
  await data.getByRole("button", { name: "Back up now" }).click();
  await expect(data.getByText(/^lpm restore /)).toBeVisible({ timeout: 20_000 });
});

test("everything is checked and the verdict is a sentence", async ({ settings, page }) => {
  await settings.open();
  const data = settings.section("Your data");
  await data.getByRole("button", { name: "Check now" }).click();
  await expect(data.locator(".verdict")).toBeVisible({ timeout: 30_000 });
  await expectAccessible(page);
});

test("what happened is listed, and the chain holds", async ({ settings, page }) => {
  await settings.open();
  const activity = settings.section("Activity");
  await expect(activity.getByText("The chain is intact")).toBeVisible();
  await expect(activity.getByText("settings changed").first()).toBeVisible();
  await expectAccessible(page);
});

test("what was done to a document stands there, without a word of it", async ({
  settings,
  page,
}) => {
  const added = await page.request.post("/api/documents", {
    data: { text: "The tin box under the floor holds twelve keys.", title: "Keys in a box" },
  });
  const { document } = (await added.json()) as { document: { id: string } };
  const here = `/api/documents/${document.id}`;
  await page.request.patch(here, { data: { private: true } });
  await page.request.delete(here);
  await page.request.post(`${here}/restore`);
  await settings.open();
  const activity = settings.section("Activity");
  for (const words of ["made private", "deleted; it can still be restored", "restored"])
    await expect(activity.getByText(words, { exact: true }).first()).toBeVisible();
  await expect(activity).not.toContainText("Keys in a box");
  await look(page.request, { language: "ja" });
  await page.reload();
  await expect(page.getByText("削除しました（まだ復元できます）").first()).toBeVisible();
  await expectAccessible(page);
  await look(page.request, { language: "en" });
});

test("a document is erased for good after what would go was shown and the word was typed", async ({
  page,
  settings,
}) => {
  const added = await page.request.post("/api/documents", {
    data: { text: "The tin box under the floor holds eleven letters.", title: "Tin box" },
  });
  const { document } = (await added.json()) as { document: { id: string } };
  await expect
    .poll(
      async () =>
        (
          (await (await page.request.get(`/api/documents/${document.id}`)).json()) as {
            state: string;
          }
        ).state,
      { timeout: 20_000 },
    )
    .toBe("ready");
  await page.goto(`/library?id=${document.id}`);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Erase, from backups too…" }).click();
  const dialog = page.getByRole("dialog", { name: /Erase “Tin box” for good/ });
  await expect(dialog.getByText("1 original, with title")).toBeVisible();
  await expect(dialog.getByText("keeps its history")).toBeVisible();
  await expectAccessible(page);
  const erase = dialog.getByRole("button", { name: "Erase it" });
  await expect(erase).toBeDisabled();
  await dialog.getByRole("textbox").fill("erase");
  await erase.click();
  await expect
    .poll(async () => (await page.request.get(`/api/documents/${document.id}`)).status(), {
      timeout: 20_000,
    })
    .toBe(404);
  await settings.open();
  await expect(
    settings.section("Activity").getByText("erased", { exact: true }).first(),
  ).toBeVisible({ timeout: 20_000 });
});

test("erasing everything counts first, wants the word, and can be left", async ({
  page,
  settings,
}) => {
  await settings.open();
  const erase = settings.section("Erase everything");
  await erase.getByRole("button", { name: "Count what would be erased" }).click();
  await expect(erase.getByText(/\d+ originals, with title/)).toBeVisible();
  await expect(erase.getByText("Nobody can bring this back")).toBeVisible();
  const does = erase.getByRole("button", { name: "Erase everything" });
  await expect(does).toBeDisabled();
  await erase.getByRole("textbox", { name: "Type “erase” to continue" }).fill("erase");
  await expect(does).toBeEnabled();
  await expectAccessible(page);
  await erase.getByRole("button", { name: "Keep it" }).click();
  await expect(erase.getByRole("button", { name: "Count what would be erased" })).toBeVisible();
});

test("failed work is tried again all at once", async ({ page }) => {
  for (const name of ["one.pdf", "two.pdf"]) {
    const sent = await page.request.post("/api/documents", {
      multipart: {
        file: { name, mimeType: "application/pdf", buffer: Buffer.from(`%PDF-1.4 broken ${name}`) },
      },
    });
    expect(sent.status()).toBeLessThan(300);
  }
  const failed = async (): Promise<number> =>
    (
      (await (await page.request.get("/api/jobs?state=failed")).json()) as {
        items: { document: string | null }[];
      }
    ).items.filter((job) => job.document !== null).length;
  await expect.poll(failed, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
  await page.goto("/");
  await page.getByRole("button", { name: /jobs? failed/ }).click();
  const sheet = page.getByRole("dialog", { name: "Jobs" });
  const ended = sheet.getByRole("region", { name: "Done in the last day" });
  await expect(ended.getByText(/^Could not read/).first()).toBeVisible();
  const [answer] = await Promise.all([
    page.waitForResponse("**/api/jobs/retry"),
    sheet.getByRole("button", { name: "Retry all failed jobs" }).click(),
  ]);
  expect(((await answer.json()) as { items: unknown[] }).items.length).toBeGreaterThanOrEqual(2);
  await expect.poll(failed, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
  await expectAccessible(page);
});
