/**
 * Everything that can be done on a screen, done with keys alone: nothing here presses with a
 * pointer or puts the focus anywhere.
 */
import type { Page } from "@playwright/test";
import { expect, look, test } from "./fixtures";

test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

/** Walk with Tab (or back) until the focus is on something that is called so. */
async function walk(page: Page, name: RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let step = 0; step < 90; step += 1) {
    await page.keyboard.press(key);
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      if (!(element instanceof HTMLElement) || element === document.body) return "";
      const labels =
        element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
          ? [...(element.labels ?? [])].map((label) => label.innerText).join(" ")
          : element.innerText;
      return (element.getAttribute("aria-label") ?? labels).trim();
    });
    passed.push(at);
    if (name.test(at)) return;
  }
  throw new Error(`nothing on the way is called ${name.source}: ${passed.join(" | ")}`);
}
/** Walk there and press it. */
async function press(page: Page, name: RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await walk(page, name, key);
  await page.keyboard.press("Enter");
}

test("asking: stop, again, page the answers, ask differently, judge", async ({ page, chat }) => {
  await chat.open();
  await page.keyboard.press("/");
  await page.keyboard.type("Tell me slowly how it was.");
  await page.keyboard.press("Enter");
  await expect(chat.stop).toBeVisible();
  await expect(chat.last.locator(".ans").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(chat.stop).toBeHidden();
  await page.keyboard.press("n");
  await expect(page.getByRole("heading", { name: /^Ask about anything/ })).toBeVisible();
  await page.keyboard.press("/");
  await expect(chat.composer).toBeFocused();
  await page.keyboard.type("When did I move the workshop to Teramachi?");
  await page.keyboard.press("Enter");
  await chat.answered();

  await page.keyboard.press("Escape");
  await expect(chat.composer).not.toBeFocused();
  await page.keyboard.press("j");
  await expect(chat.last.getByRole("button", { name: "Answer again" })).toBeVisible();
  await page.keyboard.press("r");
  await expect(chat.last.getByRole("group", { name: "Answer 2 of 2" })).toBeVisible({
    timeout: 20_000,
  });
  await press(page, /^Previous answer$/);
  await expect(chat.last.getByRole("group", { name: "Answer 1 of 2" })).toBeVisible();

  await press(page, /^Right$|^That is right/);
  await expect(chat.last.locator(".judging [aria-pressed=true]")).toHaveCount(1);

  await page.keyboard.press("k");
  await press(page, /^Rephrase$/);
  await page.keyboard.press("End");
  await page.keyboard.type(" And why?");
  await page.keyboard.press("Escape");
  await expect(chat.last.locator("form.reask")).toHaveCount(0);
  await page.keyboard.press("Enter");
  await page.keyboard.press("End");
  await page.keyboard.type(" And why?");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 2, name: /And why\?$/ })).toBeVisible();
  await chat.answered();
});

test("a cited sentence is mended beside its answer, left as it was, and its source opened", async ({
  page,
  chat,
}) => {
  await chat.open();
  await page.keyboard.press("/");
  await page.keyboard.type("When did I move the workshop to Teramachi?");
  await page.keyboard.press("Enter");
  await chat.answered();
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await press(page, /^Correct$/);
  const field = chat.last.locator(".mend textarea");
  await expect(field).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(field).toHaveCount(0);
  await expect(
    chat.last.getByRole("button", { name: "Correct", exact: true }).first(),
  ).toBeFocused();
  await page.keyboard.press("e");
  await expect(chat.marked.first()).toBeVisible();
  await walk(page, /^(Find in this document)/);
  await page.keyboard.type("rainy");
  await expect(chat.source.getByRole("status").first()).toContainText("1");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(chat.source).toBeHidden({ timeout: 2_000 });
});

test("a conversation is let go and comes back", async ({ page, chat, frame }) => {
  await chat.open();
  await page.keyboard.press("/");
  await page.keyboard.type("When did I move the old bench?");
  await page.keyboard.press("Enter");
  await chat.answered();
  await page.keyboard.press("Escape");
  await press(page, /^Delete/, "Shift+Tab");
  await expect(frame.undo.first()).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect(page.getByRole("heading", { level: 1, name: /old bench/ })).toBeVisible();
});

test("the bridge: a fact is struck, and the request can be copied", async ({ page, chat }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await chat.open();
  await page.keyboard.press("/");
  await page.keyboard.type("Write to Mrs Tsuda about the rent for the workshop in Teramachi.");
  await press(page, /^Complete my request$/);
  const dialog = page.getByRole("dialog");
  const fact = dialog.getByRole("checkbox").first();
  await expect(fact).toBeVisible({ timeout: 15_000 });
  await walk(page, /^Leave out: /);
  await page.keyboard.press("Space");
  await expect(dialog.locator(".fact.out").first()).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Copy the text" })).toBeVisible({
    timeout: 15_000,
  });
  await press(page, /^Copy the text$/);
  await expect(dialog.getByRole("button", { name: "Copied" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
});

test("the library: filter, sort, choose several, tag them, undo; delete them and bring them back", async ({
  page,
  library,
}) => {
  await library.open();
  await expect(library.rows.first()).toBeVisible();
  const all = await library.rows.count();
  await page.keyboard.press("/");
  await page.keyboard.type("lease");
  await expect(library.rows).toHaveCount(1);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await expect(library.rows).toHaveCount(all);
  await press(page, /^Kind/);
  await walk(page, /^PDF/);
  await page.keyboard.press("Space");
  await expect(library.rows.filter({ hasNotText: "PDF" })).toHaveCount(0);
  await expect(library.rows.first()).toBeVisible();
  await page.keyboard.press("Escape");
  await press(page, /^Remove the filter “PDF”/);
  await expect(library.rows).toHaveCount(all);
  await press(page, /^Title/);
  await expect(page.getByRole("columnheader", { name: /Title/ })).toHaveAttribute(
    "aria-sort",
    "ascending",
  );
  await expect(library.rows).toHaveCount(all);
  await expect(page.locator(".doc.waiting")).toHaveCount(0);

  await page.keyboard.press("j");
  await expect(library.rows.first().getByRole("link")).toBeFocused();
  await page.keyboard.press("x");
  await page.keyboard.press("Shift+J");
  await expect(page.getByRole("region", { name: "Actions for the selection" })).toContainText(
    "2 selected",
  );
  await press(page, /^Add a tag/);
  await walk(page, /^New tag/);
  await page.keyboard.type("walked");
  await page.keyboard.press("Enter");
  await expect(library.rows.filter({ hasText: "walked" })).toHaveCount(2);
  await page.keyboard.press("Control+z");
  await expect(library.rows.filter({ hasText: "walked" })).toHaveCount(0);
  await press(page, /^Delete$/);
  await expect(library.rows).toHaveCount(all - 2);
  await page.keyboard.press("Control+z");
  await expect(library.rows).toHaveCount(all);
});

test("search: narrow it, see why as a table, open the place", async ({ page, search }) => {
  await search.open();
  await page.keyboard.type("workshop");
  await page.keyboard.press("Enter");
  await expect(search.hits.first()).toBeVisible();
  await press(page, /^Kind/);
  await walk(page, /^Note/);
  await page.keyboard.press("Space");
  await expect(page).toHaveURL(/kind/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await press(page, /as a table/i);
  await expect(search.hits.first().getByRole("table")).toBeVisible();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(
    page.getByRole("region", { name: "Source", exact: true }).locator("mark").first(),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(
    page.getByRole("region", { name: "Source", exact: true }).locator("mark"),
  ).toHaveCount(0);
});

test("settings: words about oneself are kept, a key for a program is made and taken back, single keys are switched off and on", async ({
  page,
  settings,
}) => {
  await settings.open();
  await walk(page, /^A few words about you/);
  await page.keyboard.press("End");
  await page.keyboard.type(" And cellos.");
  await page.keyboard.press("Tab");
  await expect
    .poll(async () => JSON.stringify(await (await page.request.get("/api/identity")).json()))
    .toContain("And cellos.");
  await walk(page, /^What is it for/);
  await page.keyboard.type("walk");
  await press(page, /^Create a key/);
  await expect(settings.section("Keys for programs").locator("code").first()).toBeVisible();
  await press(page, /^Revoke the key “walk”/);
  await expect(
    settings.section("Keys for programs").getByRole("button", { name: "Revoke the key “walk”" }),
  ).toHaveCount(0);
  await walk(page, /^Single-key shortcuts/);
  await page.keyboard.press("Space");
  await expect
    .poll(
      async () =>
        ((await (await page.request.get("/api/settings")).json()) as { single_keys: boolean })
          .single_keys,
    )
    .toBe(false);
  await page.keyboard.press("Space");
  await expect
    .poll(
      async () =>
        ((await (await page.request.get("/api/settings")).json()) as { single_keys: boolean })
          .single_keys,
    )
    .toBe(true);
});

test("the tray opens, says what ended, and closes", async ({ page, chat }) => {
  await chat.open();
  // What other tests left behind may have failed on purpose.
  const ended = /done today$|failed\.$/;
  await expect(page.getByRole("button", { name: ended })).toBeVisible({ timeout: 20_000 });
  await press(page, ended);
  const tray = page.getByRole("dialog");
  await expect(tray.getByRole("listitem").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(tray).toBeHidden();
});

test("the days: another tab, a day chosen with arrows, its sentence opened and closed", async ({
  page,
  memory,
}) => {
  await memory.open();
  await walk(page, /^Today$/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "The year, day by day" })).toBeVisible();
  await page.goto("/memory?view=timeline&day=2024-04-05");
  await expect(page.getByText("Nothing on this day.")).toBeVisible();
  await walk(page, /^Fri 5 April 2024/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(
    page.getByRole("region", { name: "6 April 2024" }).getByRole("blockquote"),
  ).toBeVisible();
  await press(page, /^Open the source/);
  await expect(
    page.getByRole("region", { name: "Source", exact: true }).locator("mark").first(),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("region", { name: "Source", exact: true })).toHaveCount(0);
});
