/**
 * Asking: evidence first, citations that open the exact place, stopping, breaking down, and letting
 * a conversation go.
 */
import type { Locator } from "@playwright/test";
import { expect, expectAccessible, look, test } from "./fixtures";
import { DIARY } from "./life";

const QUESTION = "When did I move the workshop to Teramachi?";

test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

test("the evidence is there before the first word, and a citation opens the exact place", async ({
  chat,
}) => {
  await chat.open();
  await chat.ask(QUESTION);
  await expect(chat.last.getByText("Reading the evidence")).toBeVisible();
  await expect(
    chat.last
      .getByRole("group", { name: "Sources" })
      .getByText("I moved the workshop to Teramachi")
      .first(),
  ).toBeVisible();
  await chat.answered();

  await chat.citation(1).click();
  await expect(chat.source.getByRole("heading", { level: 2 })).toContainText("Diary, 6 April 2024");
  await expect(chat.marked.first()).toBeInViewport();
  const marked = (await chat.marked.allTextContents()).join("\n");
  expect(DIARY.text.replace(/\n+/g, "\n")).toContain(marked);
  expect(marked).toContain("I moved the workshop to Teramachi on 6 April 2024.");
  await expect(chat.source.locator('[data-line="3"] mark')).toBeVisible();
  await chat.page.keyboard.press("Escape");
  await expect(chat.source).toBeHidden();
});

test("what a model thinks stands behind a fold, is no part of the answer, and is not kept", async ({
  chat,
  page,
}) => {
  await chat.open();
  await chat.ask("On which day did I move the workshop to Teramachi?");
  await chat.answered();
  const thought = chat.last.getByText("The diary of April names it.");
  await expect(thought).toBeHidden();
  await chat.last.getByText("What the model thought").click();
  await expect(thought).toBeVisible();
  await expect(chat.last).toContainText("Not checked against your memory, and not saved.");
  await expect(chat.last.locator(".ans").filter({ hasText: "diary of April" })).toHaveCount(0);
  await expectAccessible(page, "thought");
  await page.reload();
  await chat.answered();
  await expect(chat.last.getByText("What the model thought")).toHaveCount(0);
});

test("a sentence and its note light up together, and stand level", async ({ chat }) => {
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answered();
  await chat.citation(1).hover();
  await expect(chat.note(1)).toHaveClass(/lit-note/);
  await expect(chat.last.locator(".lit")).toBeVisible();
  const sentence = await chat.last.locator('[data-cites~="1"]').first().boundingBox();
  const note = await chat.note(1).boundingBox();
  expect(Math.abs((sentence?.y ?? 0) - (note?.y ?? 99))).toBeLessThan(12);
});

test("why these were found, as bars", async ({ chat, page }) => {
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answered();
  // Why something was found is told for an old conversation too.
  await page.reload();
  await chat.answered();
  await chat.last.getByRole("button", { name: /^Why th/ }).click();
  for (const signal of ["words", "meaning", "time", "names", "neighbours"])
    await expect(chat.note(1).getByText(signal, { exact: true })).toBeVisible();
});

test("where memory has no answer, nothing says that there was one", async ({ chat }) => {
  await chat.open();
  await chat.ask("???");
  await expect(chat.last.getByText("Nothing in memory answers this")).toBeVisible();
  await expect(chat.last.getByText("Answered from memory")).toBeHidden();
  await expect(chat.last.getByRole("button", { name: /^Why th/ })).toHaveCount(0);
});

test("where the bundled model finds no answer, a larger one is named once, until it is put aside", async ({
  chat,
  page,
}) => {
  const line = page.getByText("A larger model usually answers better.");
  await chat.open();
  for (const question of ["???", "?!?"]) {
    await chat.ask(question);
    await expect(chat.last.getByRole("heading", { name: question })).toBeVisible();
    await expect(chat.last.getByText("Nothing in memory answers this")).toBeVisible();
  }
  await expect(line).toHaveCount(0);
  expect((await page.request.put("/api/models/active", { data: { kind: "bundled" } })).ok()).toBe(
    true,
  );
  try {
    await page.reload();
    await expect(line).toHaveCount(1);
    await expectAccessible(page, "a larger model");
    await expect(page.getByRole("link", { name: /GB\) fits this machine$/ })).toHaveAttribute(
      "href",
      "/settings#models",
    );
    await page.getByRole("button", { name: "Don’t suggest this again" }).click();
    await expect(line).toHaveCount(0);
    await page.reload();
    await expect(chat.last.getByText("Nothing in memory answers this")).toBeVisible();
    await expect(line).toHaveCount(0);
  } finally {
    expect((await page.request.delete("/api/models/active")).ok()).toBe(true);
  }
});

test("Escape stops the model at once, and what was written stays", async ({ chat, page }) => {
  await chat.open();
  await chat.ask("Tell me slowly when I moved the workshop to Teramachi");
  await expect(chat.last.locator(".part").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(chat.last.getByText("Stopped here.")).toBeVisible();
  await expect(chat.stop).toBeHidden();
  const kept = await chat.last.locator(".part").first().textContent();
  await page.reload();
  await expect(chat.last.getByText("Stopped here.")).toBeVisible();
  await expect(chat.last.locator(".part").first()).toHaveText(kept ?? "");
});

test("a model that breaks down leaves its sources, and can be asked again", async ({ chat }) => {
  await chat.open();
  await chat.ask("Did the workshop in Teramachi break?");
  await expect(chat.last.getByRole("alert")).toBeVisible();
  await expect(chat.last.getByRole("button", { name: "Ask again" })).toBeVisible();
});

test("rename, delete, and the way back", async ({ chat, frame, page }) => {
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answered();
  await page.getByRole("button", { name: "Rename" }).click();
  await page
    .getByRole("textbox", { name: "Name of this conversation" })
    .fill("The move to Teramachi");
  await page.keyboard.press("Enter");
  await expect(
    page.getByRole("heading", { level: 1, name: "The move to Teramachi" }),
  ).toBeVisible();
  await expect(page).toHaveTitle("The move to Teramachi · Second Me");

  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page).toHaveURL(/\/$/);
  await expect(page.getByRole("link", { name: "The move to Teramachi" })).toBeHidden();
  await frame.undo.first().click();
  await expect(
    page.getByRole("heading", { level: 1, name: "The move to Teramachi" }),
  ).toBeVisible();

  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page.getByRole("link", { name: "The move to Teramachi" })).toBeHidden();
  await page.goto("about:blank");
  await expect
    .poll(async () => JSON.stringify(await (await page.request.get("/api/conversations")).json()))
    .not.toContain("The move to Teramachi");
});

test("on a phone the way back covers neither the question nor a field, and moves nothing", async ({
  chat,
  frame,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answered();
  const asked = chat.last.getByRole("heading", { level: 2 });
  const stood = [await asked.boundingBox(), await chat.composer.boundingBox()];
  await chat.last.getByRole("button", { name: "Right", exact: true }).scrollIntoViewIfNeeded();
  await chat.last.getByRole("button", { name: "Forget" }).first().click();
  const strip = page.locator(".undo-strip");
  await expect(strip).toContainText("Forgotten.");
  await asked.scrollIntoViewIfNeeded();
  await page.evaluate(() => window.scrollTo(0, 0));
  expect(
    [await asked.boundingBox(), await chat.composer.boundingBox()].map((box) => box?.x),
  ).toEqual(stood.map((box) => box?.x));
  expect((await chat.composer.boundingBox())?.y).toBe(stood[1]?.y);
  for (const field of [asked, chat.composer]) await apart(strip, field);
  await expectAccessible(page);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("dialog", { name: "More" }).getByRole("link", { name: "Search" }).click();
  const words = page.getByRole("searchbox", { name: "What are you looking for?" });
  await apart(strip, words);
  await frame.undo.last().click();
  await expect(strip).toBeHidden();
});

/** Neither stands over the other. */
async function apart(one: Locator, other: Locator): Promise<void> {
  await expect(other).toBeVisible();
  const [a, b] = [await one.boundingBox(), await other.boundingBox()];
  expect(a && b && (a.y + a.height <= b.y || b.y + b.height <= a.y)).toBe(true);
}

test("on a phone the notes fold under their sentence, and the source is a sheet", async ({
  chat,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answered();
  await expect(chat.last.locator(".part").first().locator(".note")).toBeVisible();
  await chat.last.locator(".part .note").first().locator(".stretch").click();
  await expect(page.getByRole("dialog").locator("mark").first()).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Close the source" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
