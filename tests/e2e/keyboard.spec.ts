/** The main path without a mouse. */
import { expect, look, test } from "./fixtures";

test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

test("ask, walk the sources, open one, come back, search, read the library", async ({
  page,
  chat,
  search,
  library,
}) => {
  await chat.open();
  await page.locator("body").press("/");
  await expect(chat.composer).toBeFocused();
  await page.keyboard.type("When did I move the workshop to Teramachi?");
  await page.keyboard.press("Enter");
  await chat.answered();
  await page.keyboard.press("Escape");
  await chat.citation(1).focus();
  await expect(chat.note(1)).toHaveClass(/lit-note/);
  await page.keyboard.press("Enter");
  await expect(chat.marked.first()).toBeVisible();
  await expect(chat.source.getByRole("heading", { level: 2 })).toBeFocused();
  await expect(chat.source.getByRole("heading", { level: 2 })).toHaveText(/\S/);
  const first = await chat.source.getByRole("heading", { level: 2 }).textContent();
  await page.keyboard.press("]");
  await expect(chat.source).toBeVisible();
  await page.keyboard.press("[");
  await expect(chat.source.getByRole("heading", { level: 2 })).toHaveText(first ?? "");
  await page.keyboard.press("Escape");
  await expect(chat.source).toBeHidden();
  await expect(chat.citation(1)).toBeFocused();

  await page.keyboard.press("e");
  await expect(chat.marked.first()).toBeVisible();
  await page.keyboard.press("e");
  await expect(chat.source).toBeHidden();

  await page.keyboard.press("8");
  await expect(search.field).toBeFocused();
  await page.keyboard.type("goodbye");
  await page.keyboard.press("Enter");
  await expect(search.hits.first()).toBeVisible();
  await search.field.blur();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(
    page.getByRole("region", { name: "Source", exact: true }).locator("mark").first(),
  ).toBeVisible();

  await page.keyboard.press("3");
  await expect(page.getByRole("heading", { level: 1, name: "Library" })).toBeVisible();
  await expect(library.rows.first()).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/library\?id=/);
});

test("the palette goes, finds and asks; the table of keys opens with a key", async ({
  page,
  chat,
}) => {
  await chat.open();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("combobox", { name: "Search or run a command" });
  await expect(palette).toBeFocused();
  await page.keyboard.type("書庫");
  await page.keyboard.press("Enter"); // at once: it goes where was typed, not where the list stood
  await expect(page.getByRole("heading", { level: 1, name: "Library" })).toBeVisible();

  await page.keyboard.press("Control+k");
  await expect(palette).toBeFocused();
  await page.keyboard.type("goodbye");
  await expect(
    page.getByRole("group", { name: "Memories" }).getByRole("option").first(),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(palette).toBeHidden();

  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("single keys can be switched off", async ({ page, settings }) => {
  await settings.open();
  const box = settings.section("Keyboard").getByRole("checkbox");
  await box.click(); // it shows the change a moment after the click, with the settings
  await expect(box).not.toBeChecked();
  await page.locator("body").press("3");
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  await box.click();
  await expect(box).toBeChecked();
  await page.locator("h1").click();
  await page.keyboard.press("3");
  await expect(page.getByRole("heading", { level: 1, name: "Library" })).toBeVisible();
});
