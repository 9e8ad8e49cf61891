/**
 * Statements: kept, looked through, opened at their line, mended and forgotten with a way back, and
 * what they said before.
 */
import { expect, expectAccessible, look, test } from "./fixtures";
import { startNode } from "./node";

test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));
// Writing goes through a file, which is read before it is shown.
test.use({ actionTimeout: 15_000 });
const WRITTEN = { timeout: 15_000 };

test("a statement is kept by hand, with its kind, whom it is about and how sure; an empty one says what is missing", async ({
  memory,
  frame,
  page,
}) => {
  await memory.open();
  await page.locator("body").press("n");
  await expect(memory.dialog.getByRole("textbox", { name: "What to remember" })).toBeFocused();
  await memory.dialog.getByRole("button", { name: "Save" }).click();
  await expect(
    memory.dialog.getByRole("textbox", { name: "What to remember" }),
  ).toHaveAccessibleDescription("Write a sentence.");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await memory.keep({
    what: "prefers short replies",
    kind: "Opinion",
    whom: "Peter, Mr Ide",
    sure: "fairly sure",
  });
  const row = memory.row("prefers short replies");
  await expect(row).toContainText("Opinion");
  await expect(row).toContainText("fairly sure");
  await expect(row).not.toContainText("%");
  await expect(row.getByRole("link", { name: "Only memories about Mr Ide" })).toBeVisible();
  await expect(row).toContainText(/memory\/\d{4}-\d\d-\d\d\.md · line \d+/);
  await expectAccessible(page);
  await frame.undo.first().click();
  await expect(row).toHaveCount(0, WRITTEN);
});

test("a statement is mended, its old words stay with their time, and it is forgotten; each with a way back", async ({
  memory,
  frame,
  page,
}) => {
  await memory.open();
  await memory.keep({ what: "keeps her chisels in the blue drawer", whom: "Mrs Tsuda" });
  await memory.choose("keeps her chisels in the blue drawer");
  await memory.one.getByRole("button", { name: /Open the source: memory\// }).click();
  const source = page.getByRole("region", { name: "Source", exact: true });
  await expect(source.locator("mark")).toContainText("blue drawer");
  await page.keyboard.press("Escape");
  await expect(memory.one.getByRole("button", { name: "Correct", exact: true })).toBeVisible();

  await memory.one.getByRole("button", { name: "Correct", exact: true }).click();
  await memory.one
    .getByRole("textbox", { name: "What to remember" })
    .fill("keeps her chisels in the red drawer");
  await memory.one.getByRole("button", { name: "Save correction" }).click();
  await expect(memory.one.getByRole("blockquote")).toHaveText(
    "keeps her chisels in the red drawer",
    WRITTEN,
  );
  await expect(memory.one).toContainText("corrected");
  const past = memory.one
    .getByRole("region", { name: "Earlier versions" })
    .getByRole("button", { name: /blue drawer/ });
  await expect(past).toContainText("until");
  await expectAccessible(page);
  await past.click();
  await expect(source.locator("mark")).toContainText("blue drawer");
  await source.getByRole("button", { name: "Close the source" }).click();
  await frame.undo.first().click();
  await expect(memory.one.getByRole("blockquote")).toHaveText(
    "keeps her chisels in the blue drawer",
    WRITTEN,
  );

  await memory.one.getByRole("button", { name: "Forget" }).click();
  await expect(memory.one).toContainText("Forgotten on", WRITTEN);
  await expect(memory.row("keeps her chisels")).toHaveCount(0);
  await frame.undo.first().click();
  await expect(memory.row("keeps her chisels in the blue drawer")).toHaveCount(1, WRITTEN);
  await expect(memory.one.getByRole("button", { name: "Correct", exact: true })).toBeVisible(
    WRITTEN,
  );
  await expect(memory.one.getByRole("region", { name: "Earlier versions" })).toContainText(
    "red drawer",
  );
});

test("words, kinds and names narrow it down, and another day shows what was believed then", async ({
  memory,
  page,
}) => {
  for (const line of [
    "W @Peter: owns the house in the lane",
    "B I took over the workshop from @[Mr Ide].",
    "O(c=0.3) @Peter: likes rain",
  ])
    await page.request.post("/api/memories", { data: { line } });
  await memory.open();
  await expect(memory.row("likes rain")).toBeVisible(WRITTEN);
  await page.locator("body").press("/");
  await page.keyboard.type("in the lane");
  await expect(memory.rows).toHaveCount(1);
  await expect(page).toHaveURL(/q=in(\+|%20)the(\+|%20)lane/);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await expect(memory.row("likes rain")).toBeVisible();
  await page.getByRole("button", { name: "Kind" }).click();
  await page.getByRole("checkbox", { name: "Opinion" }).click();
  await page.keyboard.press("Escape");
  await expect(memory.row("likes rain")).toContainText("a guess");
  await expect(memory.row("house in the lane")).toHaveCount(0);
  await page.getByRole("button", { name: "Remove the filter “Opinion”" }).click();
  await memory.row("likes rain").getByRole("link", { name: "Only memories about Peter" }).click();
  await expect(memory.row("house in the lane")).toBeVisible();
  await expect(memory.row("took over the workshop from Mr Ide.")).toHaveCount(0);
  await page.getByRole("button", { name: "Remove the filter “Peter”" }).click();

  await page.getByRole("button", { name: "As of" }).click();
  await page.getByLabel("As of").last().fill("2024-11-20");
  await page.keyboard.press("Escape");
  await expect(page.getByText("The memories as they were on 20 Nov 2024.")).toBeVisible();
  await expect(
    page.getByRole("heading", { name: "There were no memories on 20 Nov 2024." }),
  ).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Back to now" }).click();
  await expect(memory.row("likes rain")).toBeVisible();
});

test("what was forgotten is listed, and comes back from there", async ({ memory, page }) => {
  for (const line of ["W @Ren: turns bowls on Sundays", "W @Ren: has a lathe"])
    await page.request.post("/api/memories", { data: { line } });
  await memory.open();
  await memory.row("turns bowls").getByRole("link").first().click();
  await memory.one.getByRole("button", { name: "Forget" }).click();
  await expect(memory.row("turns bowls")).toHaveCount(0, WRITTEN);
  await page.goto("/memory");
  await page.getByRole("button", { name: "Forgotten", exact: true }).click();
  await expect(memory.row("turns bowls")).toBeVisible();
  await expectAccessible(page);
  await memory.row("turns bowls").getByRole("link").first().click();
  await memory.one.getByRole("button", { name: "Restore", exact: true }).click();
  await expect(memory.row("turns bowls")).toHaveCount(0, WRITTEN);
  await page.getByRole("button", { name: "Back to now" }).click();
  await expect(memory.row("turns bowls")).toBeVisible();
});

test("where everything that was kept is forgotten, it says so, and what was forgotten comes back from there", async ({
  browser,
}) => {
  const other = await startNode();
  try {
    const page = await (await browser.newContext(other.signedIn)).newPage();
    expect((await page.request.put("/api/identity", { data: { name: "Nagi Sorrel" } })).ok()).toBe(
      true,
    );
    await look(page.request, { language: "en" });
    await page.goto("/memory");
    await expect(page.getByRole("heading", { name: "No memories yet." })).toBeVisible();
    const memories = async (): Promise<{ id: string }[]> =>
      ((await (await page.request.get("/api/memories")).json()) as { items: { id: string }[] })
        .items;
    expect(
      (
        await page.request.post("/api/memories", {
          data: { line: "W The glue pot stands left of the stove." },
        })
      ).status(),
    ).toBe(202);
    await expect.poll(async () => (await memories()).length, WRITTEN).toBe(1);
    await page.goto(`/memory?id=${(await memories())[0]?.id}`);
    await page
      .getByRole("complementary", { name: "One memory" })
      .getByRole("button", { name: "Forget" })
      .click();
    await expect(
      page.getByRole("heading", { name: "Every memory has been forgotten." }),
    ).toBeVisible(WRITTEN);
    await expectAccessible(page, "all is forgotten");
    await page.reload();
    await expect(
      page.getByRole("heading", { name: "Every memory has been forgotten." }),
    ).toBeVisible();
    await expect(page.getByRole("button", { name: "Forgotten", exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Show forgotten memories" }).click();
    await expect(
      page.getByRole("region", { name: "Memories" }).getByRole("listitem"),
    ).toContainText("The glue pot stands left of the stove");
  } finally {
    await other.stop();
  }
});

test("the name of the place has room beside its ways to look at any width", async ({
  memory,
  page,
}) => {
  for (const width of [1101, 1240, 1241, 1280, 1400, 1401, 1520, 1521]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto("/memory?view=today");
    const name = memory.page.getByRole("heading", { level: 1, name: "Memory" });
    await expect(name).toBeVisible();
    expect(await name.evaluate((title) => title.scrollWidth <= title.clientWidth), `${width}`).toBe(
      true,
    );
  }
});

test("what was found waits at the top and is kept, with a way back; what stands in a document is forgotten beside it", async ({
  memory,
  frame,
  page,
}) => {
  await page.request.post("/api/documents", {
    multipart: {
      file: {
        name: "handed-in.md",
        mimeType: "text/markdown",
        buffer: Buffer.from("# Peter\n\n## Retain\n\n- W @Peter: keeps bees behind the mill\n"),
      },
    },
  });
  await expect
    .poll(
      async () => (await (await page.request.get("/api/memories?q=bees")).json()).items.length,
      WRITTEN,
    )
    .toBe(1);
  await memory.open();
  const waiting = page.getByRole("region", { name: /^Suggestions from what you wrote: \d+$/ });
  const said = (await waiting.getByRole("article").first().getAttribute("aria-label")) ?? "";
  const found = page.getByRole("article", { name: said, exact: true });
  await waiting.getByRole("button", { name: "Keep" }).first().click();
  await expect(found).toHaveCount(0);
  await frame.undo.first().click();
  await expect(found).toHaveCount(1);

  await memory.choose("keeps bees behind the mill");
  await expect(memory.one).toContainText("which is never changed");
  await memory.one.getByRole("button", { name: "Forget" }).click();
  await expect(memory.one).toContainText("Forgotten.");
  await frame.undo.first().click();
  await expect(memory.one.getByRole("button", { name: "Forget" })).toBeVisible();
});

test("without a mouse: go there, step, open, mend, come back", async ({ memory, page, chat }) => {
  await page.request.post("/api/memories", { data: { line: "B I tune by ear in the mornings." } });
  await chat.open();
  await page.locator("body").press("2");
  await expect(memory.row("tune by ear")).toBeVisible(WRITTEN);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(memory.one.getByRole("blockquote")).toBeVisible();
  await expect(memory.one.getByRole("heading", { name: "One memory" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/\/memory$/);
});
