/** Adding, reading along, sealing, and letting go. */
import { expect, look, test } from "./fixtures";
import { LEASE } from "./life";

test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

const note = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

test("files come in, each with what became of it; the same bytes again are known", async ({ library, expected }) => {
  expected.push(/422/);
  await library.open();
  await library.add([note("gouge.txt", "The lost gouge was behind the piano."), note("empty.txt", "")]);
  await expect(library.dialog.getByRole("listitem").filter({ hasText: "gouge" })).toContainText("read", { timeout: 15_000 });
  await expect(library.dialog.getByRole("listitem").filter({ hasText: "empty" })).toContainText("not taken", { timeout: 15_000 });
  await library.close();
  await expect(library.row("gouge")).toContainText("read");

  await library.add([note("gouge-again.txt", "The lost gouge was behind the piano.")]);
  await expect(library.dialog.getByRole("listitem").filter({ hasText: "gouge" })).toContainText("already here");
});

test("a PDF is read beside the list, with its page numbers", async ({ library, page }) => {
  await library.open();
  await library.row("lease").getByRole("link").click();
  const source = page.getByRole("region", { name: "The source" }).first();
  await expect(source.getByText("Page 2")).toBeVisible();
  await expect(source.getByText(LEASE.pages[1] ?? "")).toBeVisible();
  await expect(source.getByRole("link", { name: "Get the original" })).toHaveAttribute("href", /\/original$/);
});

test("sealing can be undone, deleting says what goes and cannot", async ({ library, frame, page }) => {
  await library.open();
  await library.add([note("secret.txt", "What I paid for the lathe is nobody's business.")]);
  await expect(library.dialog.getByRole("listitem").filter({ hasText: "secret" })).toContainText("read", { timeout: 15_000 });
  await library.close();
  await library.row("secret").getByRole("link").click();
  await page.getByRole("button", { name: "Seal it" }).click();
  await expect(library.row("secret")).toContainText("sealed");
  await frame.undo.first().click();
  await expect(library.row("secret")).not.toContainText("sealed");

  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Delete “secret”?" });
  await expect(dialog).toContainText("What goes: the original, its text, 1 passage");
  await expect(dialog).toContainText("This cannot be undone.");
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await expect(library.row("secret")).toBeVisible();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete for good" }).click();
  await expect(library.row("secret")).toBeHidden();
});

test("title, date and tags can be put right", async ({ library, page }) => {
  await library.open();
  await library.add([note("oldname.txt", "Names for the summer course: First Light, Second Look.")]);
  await expect(library.dialog.getByRole("listitem").filter({ hasText: "oldname" })).toContainText("read", { timeout: 15_000 });
  await library.close();
  await library.row("oldname").getByRole("link").click();
  await page.getByRole("button", { name: "Title, date and tags" }).click();
  await page.getByRole("textbox", { name: "Title", exact: true }).fill("Names for the course");
  await page.getByLabel("When it was written").fill("2025-05-11");
  await page.getByRole("textbox", { name: "Tags, with commas" }).fill("course, names");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(library.row("Names for the course")).toContainText("11 May 2025");
  await expect(library.row("Names for the course")).toContainText("course");
});

test("what was dropped on the page is taken in", async ({ library, page }) => {
  await library.open();
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(["Hide glue keeps a fortnight in the cold."], "hide-glue.md", { type: "text/markdown" }));
    return data;
  });
  const list = page.locator(".drop-page .main");
  await list.dispatchEvent("dragenter", { dataTransfer: transfer });
  await expect(page.getByText("Let go to add it.")).toBeVisible();
  await list.dispatchEvent("drop", { dataTransfer: transfer });
  await expect(library.dialog.getByRole("listitem").filter({ hasText: "hide-glue" })).toContainText("read", { timeout: 15_000 });
});
