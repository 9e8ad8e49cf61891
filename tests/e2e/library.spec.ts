/** Adding, reading along, keeping private, and letting go. */
import { expect, expectAccessible, look, test } from "./fixtures";
import { LEASE } from "./life";

test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

const note = (name: string, text: string) => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.from(text),
});

test("files come in, each with what became of it; the same bytes again are known", async ({
  library,
  expected,
}) => {
  expected.push(/422/);
  await library.open();
  await library.add([
    note("gouge.txt", "The lost gouge was behind the piano."),
    note("empty.txt", ""),
  ]);
  await expect(library.dialog.getByRole("listitem").filter({ hasText: "gouge" })).toContainText(
    "read",
    { timeout: 15_000 },
  );
  await expect(library.dialog.getByRole("listitem").filter({ hasText: "empty" })).toContainText(
    "not added",
    { timeout: 15_000 },
  );
  await library.close();
  await expect(library.row("gouge")).toContainText("read");

  await library.add([note("gouge-again.txt", "The lost gouge was behind the piano.")]);
  await expect(library.dialog.getByRole("listitem").filter({ hasText: "gouge" })).toContainText(
    "already here",
  );
});

test("a PDF is read beside the list, with its page numbers", async ({ library, page }) => {
  await library.open();
  await library.row("lease").getByRole("link").click();
  const source = page.getByRole("region", { name: "Source", exact: true }).first();
  await expect(source.getByText("Page 2")).toBeVisible();
  await expect(source.getByText(LEASE.pages[1] ?? "")).toBeVisible();
  await expect(source.getByRole("link", { name: "Download the original" })).toHaveAttribute(
    "href",
    /\/original$/,
  );
});

test("what private means stands where one chooses it, it can be undone, and deleting says what goes and cannot", async ({
  library,
  frame,
  page,
  expected,
}) => {
  expected.push(/404/);
  await library.open();
  await library.add([note("secret.txt", "What I paid for the lathe is nobody's business.")]);
  await expect(library.dialog.getByRole("listitem").filter({ hasText: "secret" })).toContainText(
    "read",
    { timeout: 15_000 },
  );
  await library.close();
  await library.row("secret").getByRole("link").click();
  const remove = page.getByRole("button", { name: "Delete", exact: true });
  const stood = await remove.boundingBox();
  const check = page.getByRole("checkbox", { name: "Private" });
  await expect(check).toHaveAccessibleDescription(
    /Only for you: no program can find it, .* never sent to a model on another machine\./,
  );
  await check.click();
  await expect(library.row("secret")).toContainText("private");
  await expect(check).toBeChecked();
  expect(await remove.boundingBox()).toEqual(stood);
  await expectAccessible(page);
  await frame.undo.first().click();
  await expect(library.row("secret")).not.toContainText("private");
  await expect(check).not.toBeChecked();

  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Delete “secret”?" });
  await expect(dialog).toContainText("Deleted: the original, its text, 1 passage");
  await expect(dialog).toContainText("You can restore it for 30 days.");
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await expect(library.row("secret")).toBeVisible();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete it" }).click();
  await expect(library.row("secret")).toBeHidden();
  await frame.undo.first().click();
  await expect(library.row("secret")).toContainText("read", { timeout: 15_000 });

  await library.row("secret").getByRole("checkbox").click();
  await page
    .getByRole("region", { name: "Actions for the selection" })
    .getByRole("button", { name: "Delete" })
    .click();
  await expect(library.row("secret")).toBeHidden();
  await page.getByRole("button", { name: "Deleted" }).click();
  await expect(library.row("secret")).toContainText("gone for good on");
  await library.row("secret").getByRole("link").click();
  const gone = page.getByRole("complementary", { name: "About this document" });
  await expect(
    gone.getByText(/^Deleted on .* You can restore it until .*; after that it is gone for good\.$/),
  ).toBeVisible();
  await expect(gone.getByText("What I paid for the lathe")).toBeVisible();
  await expectAccessible(page);
  await gone.getByRole("button", { name: "Close" }).click();
  await expect(gone).toBeHidden();
  await library.row("secret").getByRole("link").click();
  await gone.getByRole("button", { name: "Erase, from backups too…" }).click();
  await expect(page.getByRole("dialog", { name: "Erase “secret” for good?" })).toContainText(
    "1 original",
  );
  await page.keyboard.press("Escape");
  await gone.getByRole("button", { name: "Restore", exact: true }).click();
  await expect(page.getByRole("button", { name: "Delete", exact: true })).toBeVisible();
  await expect(library.row("secret")).toBeHidden();
  await page.getByRole("button", { name: "Deleted", exact: true }).click();
  await expect(library.row("secret")).toContainText("read", { timeout: 15_000 });
  await library.row("secret").getByRole("checkbox").click();
  await page
    .getByRole("region", { name: "Actions for the selection" })
    .getByRole("button", { name: "Delete" })
    .click();
  await page.getByRole("button", { name: "Deleted", exact: true }).click();
  await library.row("secret").getByRole("checkbox").click();
  await page
    .getByRole("region", { name: "Actions for the selection" })
    .getByRole("button", { name: "Restore", exact: true })
    .click();
  await page.getByRole("button", { name: "Deleted" }).click();
  await expect(library.row("secret")).toContainText("read", { timeout: 15_000 });
});

test("many are chosen by keyboard, tagged, filtered by the tag, and put back", async ({
  library,
  frame,
  page,
}) => {
  await library.open();
  await expect(library.rows.first()).toBeVisible();
  await page.locator("body").press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("Shift+J");
  const bar = page.getByRole("region", { name: "Actions for the selection" });
  await expect(bar).toContainText("2 selected");
  await bar.getByRole("button", { name: "Add a tag" }).click();
  await bar.getByRole("textbox", { name: "New tag" }).fill("autumn");
  await page.keyboard.press("Enter");
  await expect(library.rows.filter({ hasText: "autumn" })).toHaveCount(2);
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByRole("checkbox", { name: /autumn/ }).check();
  await expect(library.rows).toHaveCount(2);
  await page.getByRole("button", { name: "Remove the filter “autumn”" }).click();
  await frame.undo.first().click();
  await expect(library.rows.filter({ hasText: "autumn" })).toHaveCount(0);
});

test("a page of a PDF is shown as it came in, beside its text, with found words marked on it", async ({
  library,
  page,
}) => {
  await library.open();
  await library.row("lease").getByRole("link").click();
  const source = page.getByRole("region", { name: "Source", exact: true }).first();
  await source
    .getByRole("searchbox", { name: "Find in this document" })
    .fill((LEASE.pages[1] ?? "").split(" ").slice(0, 2).join(" "));
  await source.getByRole("button", { name: "Side by side" }).click();
  const dialog = page.getByRole("dialog", { name: "lease" });
  await expect(dialog.getByText("Page 2 of 2")).toBeVisible();
  await expect(dialog.getByRole("img", { name: /page 2, original/ })).toHaveJSProperty(
    "complete",
    true,
  );
  await expect(dialog.locator(".mark-box").first()).toBeVisible();
  await dialog.getByRole("button", { name: "Previous page" }).click();
  await expect(dialog.getByText("Page 1 of 2")).toBeVisible();
});

test("title, date and tags can be put right", async ({ library, page }) => {
  await library.open();
  await library.add([
    note("oldname.txt", "Names for the summer course: First Light, Second Look."),
  ]);
  await expect(library.dialog.getByRole("listitem").filter({ hasText: "oldname" })).toContainText(
    "read",
    { timeout: 15_000 },
  );
  await library.close();
  await library.row("oldname").getByRole("link").click();
  await page.getByRole("button", { name: "Title, date and tags" }).click();
  await page.getByRole("textbox", { name: "Title", exact: true }).fill("Names for the course");
  await page.getByLabel("Date written").fill("2025-05-11");
  await page.getByRole("textbox", { name: "Tags, separated by commas" }).fill("course, names");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(library.row("Names for the course")).toContainText("11 May 2025");
  await expect(library.row("Names for the course")).toContainText("course");
});

test("what was dropped on the page is taken in", async ({ library, page }) => {
  await library.open();
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(
      new File(["Hide glue keeps a fortnight in the cold."], "hide-glue.md", {
        type: "text/markdown",
      }),
    );
    return data;
  });
  const list = page.locator(".drop-page .main");
  await list.dispatchEvent("dragenter", { dataTransfer: transfer });
  await expect(page.getByText("Drop to add.")).toBeVisible();
  await list.dispatchEvent("drop", { dataTransfer: transfer });
  await expect(library.dialog.getByRole("listitem").filter({ hasText: "hide-glue" })).toContainText(
    "read",
    { timeout: 15_000 },
  );
});

test("a file with a known name is asked about, and its versions are listed with what changed", async ({
  library,
  page,
}) => {
  await library.open();
  for (const text of ["The weir opens in May.", "The weir opens in August."]) {
    await library.add([note("weir.txt", text)]);
    await expect(library.dialog.getByRole("listitem").filter({ hasText: "weir" })).toContainText(
      "read",
      { timeout: 15_000 },
    );
    await library.close();
  }
  await library.row("weir").first().getByRole("link").click();
  const question = page.getByRole("group", { name: "You have “weir.txt” already." });
  await expectAccessible(page);
  await question.getByRole("button", { name: "New version" }).click();
  await expect(library.row("weir")).toHaveCount(1);
  await page.getByRole("button", { name: /^Version 2 of 2 · / }).press("Enter");
  const versions = page.getByRole("dialog", { name: "Versions" });
  await versions.getByRole("button", { name: "Changes" }).first().click();
  await expect(versions.getByRole("deletion")).toContainText("The weir opens in May.");
  await expect(versions.getByRole("insertion")).toContainText("The weir opens in August.");
  await expectAccessible(page);

  await versions.getByRole("link", { name: "Read" }).last().click();
  const older = page.getByRole("note");
  await expect(older).toContainText("This is an older version.");
  await older.getByRole("button", { name: "See what changed" }).click();
  await expect(page.getByRole("dialog").getByRole("insertion")).toContainText("August");
  await page.keyboard.press("Escape");
  await older.getByRole("link", { name: "Open the current version" }).click();
  await page.getByRole("button", { name: /^Version 2 of 2 · / }).click();
  await versions.getByRole("button", { name: "Use this version again" }).click();
  // in the list, or above the text where the page has gone on to it already
  await expect(page.getByText(/^Version 3/u).first()).toBeVisible({ timeout: 15_000 });
});
