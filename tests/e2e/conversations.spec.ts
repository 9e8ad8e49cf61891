/**
 * Conversations over time: another answer, another question, what one says of it, deleting,
 * finding, long ones, paper, and the bridge.
 */
import type { APIRequestContext, Page } from "@playwright/test";
import { expect, expectAccessible, look, test } from "./fixtures";

const QUESTION = "When did I move the workshop to Teramachi?";

test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

const idOf = (page: Page): string => new URL(page.url()).searchParams.get("id") ?? "";

test("answered again, both answers are kept, and the one that is paged to stays in sight", async ({
  chat,
  page,
}) => {
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answered();
  await expect(chat.last.getByRole("group", { name: "Answer 1 of 2" })).toBeHidden();
  await chat.last.getByRole("button", { name: "Answer again" }).click();
  await expect(chat.last.getByRole("group", { name: "Answer 2 of 2" })).toBeVisible({
    timeout: 20_000,
  });
  await chat.last.getByRole("button", { name: "Previous answer" }).click();
  await expect(chat.last.getByRole("group", { name: "Answer 1 of 2" })).toBeVisible();
  await page.reload();
  await expect(chat.last.getByRole("group", { name: "Answer 1 of 2" })).toBeVisible();
  await expectAccessible(page);
});

test("a question asked differently begins a branch, and the two link to each other", async ({
  chat,
  page,
}) => {
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answered();
  await chat.ask("Who kept the old room for nine years?");
  await expect(page.locator("article.exchange")).toHaveCount(2);
  await chat.answered();
  const origin = idOf(page);
  await chat.last.getByRole("button", { name: "Rephrase" }).click();
  await page
    .getByRole("textbox", { name: "Your question, rephrased" })
    .fill("Whom do I owe a goodbye?");
  await page.keyboard.press("Enter");
  await expect(page).not.toHaveURL(new RegExp(origin));
  await chat.answered();
  await expect(chat.last.getByRole("heading", { level: 2 })).toHaveText("Whom do I owe a goodbye?");
  await expect(page.locator("article.exchange")).toHaveCount(2);
  await page.getByRole("link", { name: /^Branched from/ }).click();
  await expect(page).toHaveURL(new RegExp(origin));
  await expect(chat.last.getByRole("heading", { level: 2 })).toHaveText(
    "Who kept the old room for nine years?",
  );
  await expect(chat.last.getByRole("link", { name: /^Rephrased in/ })).toBeVisible();
  await expectAccessible(page);
});

test("what one says of an answer is kept, changed and taken back", async ({ chat, page }) => {
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answered();
  const right = chat.last.getByRole("button", { name: "Right", exact: true });
  await right.click();
  await expect(right).toHaveAttribute("aria-pressed", "true");
  await chat.last.getByRole("button", { name: "Reword", exact: true }).click();
  await page.getByRole("textbox", { name: "How you would say it" }).fill("In April, in the rain.");
  const saved = page.waitForResponse(
    (response) => response.request().postData()?.includes("in the rain") === true,
  );
  await page.getByRole("button", { name: "Save this wording" }).click();
  await saved;
  await page.reload();
  await expect(chat.last.getByRole("figure")).toContainText("In April, in the rain.");
  await expect(right).toHaveAttribute("aria-pressed", "false");
  await expectAccessible(page);
  await right.click();
  await expect(right).toHaveAttribute("aria-pressed", "true");
  await right.click();
  await expect(chat.last.getByRole("figure")).toBeHidden();
  await expect(right).toHaveAttribute("aria-pressed", "false");
});

test("an answer that is not right asks at once what is, and keeps the verdict without it", async ({
  chat,
  page,
}) => {
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answered();
  const wrong = chat.last.getByRole("button", { name: "Not right" });
  const field = page.getByRole("textbox", { name: "What is the right answer?" });
  await wrong.focus();
  await page.keyboard.press("Enter");
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("");
  await expect(wrong).toHaveAttribute("aria-pressed", "true");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(field).toBeHidden();
  await expect(wrong).toBeFocused();
  await page.reload();
  await expect(wrong).toHaveAttribute("aria-pressed", "true");

  await wrong.click();
  await expect(wrong).toHaveAttribute("aria-pressed", "false");
  await wrong.click();
  await field.fill("It was in May.");
  await page.keyboard.press("Control+Enter");
  await expect(chat.last.getByRole("figure")).toContainText("It was in May.");
  await page.reload();
  await expect(chat.last.getByRole("figure")).toContainText("The right answer");
  await expect(wrong).toHaveAttribute("aria-pressed", "true");
  await expectAccessible(page);

  // What is right is a memory at once, and what the answer rested on is struck from here, which can
  // be undone.
  const known = async (): Promise<string> =>
    JSON.stringify(await (await page.request.get("/api/memories")).json());
  await expect.poll(known, { timeout: 20_000 }).toContain("It was in May.");
  await chat.last.getByRole("button", { name: /^Stop using source 1/ }).click();
  await expect(chat.last.getByText("Its sources have changed since.")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(chat.last.getByText("Its sources have changed since.")).toBeHidden();
  await wrong.click();
  await expect.poll(known, { timeout: 20_000 }).not.toContain("It was in May.");
});

test("an answer whose source was forgotten says so, is as it was once that is taken back, and can be given again", async ({
  chat,
  frame,
  page,
}) => {
  const added = await page.request.post("/api/documents", {
    data: { text: "The summer course in Hakusan has six places.", title: "Course" },
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
  await chat.open();
  await chat.ask("How many places does the summer course in Hakusan have?");
  await chat.answered();
  const changed = chat.last.getByText("Its sources have changed since.");
  await expect(changed).toBeHidden();
  await chat.note(1).getByRole("button", { name: "Forget" }).click();
  await expect(changed).toBeVisible();
  await expectAccessible(page);
  await page.reload();
  await expect(changed).toBeVisible();
  await chat.note(1).getByText("Changed since.").waitFor();
  const findings = (await (await page.request.get("/api/findings?decided=true")).json()) as {
    items: { id: string; document: { id: string } }[];
  };
  await page.request.delete(
    `/api/findings/${findings.items.find((each) => each.document.id === document.id)?.id}`,
  );
  await page.reload();
  await chat.answered();
  await expect(changed).toBeHidden();

  await chat.note(1).getByRole("button", { name: "Correct", exact: true }).click();
  await page
    .getByRole("textbox", { name: "Correct wording" })
    .fill("The summer course in Hakusan has eight places.");
  await page.getByRole("button", { name: "Save correction" }).click();
  await expect(changed).toBeVisible();
  await expect(frame.undo.first()).toBeVisible();
  const again = chat.last.getByRole("button", { name: "Answer again" });
  await expect(again).toHaveCount(1);
  await again.focus();
  await page.keyboard.press("Enter");
  await expect(chat.last.getByRole("group", { name: "Answer 2 of 2" })).toBeVisible({
    timeout: 20_000,
  });
  await expect(changed).toBeHidden();
  await page.request.delete(`/api/documents/${document.id}`);
});

test("what is deleted comes back from the shelf, even after the tab was closed", async ({
  chat,
  page,
}) => {
  const made = (await (
    await page.request.post("/api/conversations", { data: { title: "A talk about gouges" } })
  ).json()) as { id: string };
  await page.goto(`/?id=${made.id}`);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page).toHaveURL(/\/$/);
  await page.goto("about:blank");
  await chat.open();
  await expect(page.getByRole("link", { name: "A talk about gouges" })).toBeHidden();
  await page.getByRole("button", { name: "Deleted conversations" }).click();
  await page.getByRole("button", { name: "Restore “A talk about gouges”" }).click();
  await page.getByRole("button", { name: "Back to all conversations" }).click();
  await expect(page.getByRole("link", { name: "A talk about gouges" })).toBeVisible();
});

test("a conversation is found by what was said in it", async ({ chat, page }) => {
  for (let n = 0; n < 6; n += 1)
    await page.request.post("/api/conversations", { data: { title: `Talk ${n}` } });
  await chat.open();
  await chat.ask("工房を移したのはいつですか。");
  await chat.answered();
  await page.getByRole("searchbox", { name: "Find a conversation" }).fill("寺町");
  await expect(page.locator(".shelf-list mark").first()).toHaveText("寺町");
  await page.getByRole("searchbox", { name: "Find a conversation" }).fill("no such word anywhere");
  await expect(page.getByText("No conversation mentions “no such word anywhere”.")).toBeVisible();
});

/** Marks alone ask nothing. */
const marks = (n: number): string => "!".repeat(n + 1);

/**
 * A conversation of so many exchanges, to none of which memory has an answer: no model is asked.
 */
async function long(request: APIRequestContext, exchanges: number): Promise<string> {
  const made = (await (
    await request.post("/api/conversations", { data: { title: "Long" } })
  ).json()) as { id: string };
  for (let n = 0; n < exchanges; n += 1)
    await request.post(`/api/conversations/${made.id}/turns`, { data: { text: marks(n) } });
  return made.id;
}

test("a long conversation shows its end at once and its beginning when one scrolls there", async ({
  page,
}) => {
  test.slow();
  const id = await long(page.request, 45);
  await page.goto(`/?id=${id}`);
  await expect(
    page.getByRole("heading", { level: 2, name: marks(44), exact: true }),
  ).toBeInViewport();
  await expect(page.getByRole("heading", { level: 2, name: marks(0), exact: true })).toHaveCount(0);
  await expect(async () => {
    await page.locator(".chat-scroll").evaluate((box) => box.scrollTo(0, 0));
    await expect(
      page.getByRole("heading", { level: 2, name: marks(0), exact: true }),
    ).toBeInViewport({ timeout: 500 });
  }).toPass({ timeout: 20_000 });
  const all = await page
    .locator("article.exchange")
    .getByRole("heading", { level: 2 })
    .allTextContents();
  expect(all).toEqual(Array.from({ length: 45 }, (_, n) => marks(n)));
  // One goes from exchange to exchange with j and k.
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await expect(page.locator("article.exchange").first()).toBeFocused();
});

test("on paper every source is a numbered note at the end", async ({ chat, page }) => {
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answered();
  await page.evaluate(() => {
    window.print = () => document.documentElement.setAttribute("data-printed", "");
  });
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("p");
  await expect(page.locator("html[data-printed]")).toBeAttached();
  await page.emulateMedia({ media: "print" });
  const sheet = page.locator(".paper-sheet");
  await expect(sheet.getByRole("heading", { name: QUESTION }).first()).toBeVisible();
  await expect(sheet.getByRole("listitem").first()).toContainText(
    "I moved the workshop to Teramachi on 6 April 2024.",
  );
  await expect(page.getByRole("textbox", { name: "Your question" })).toBeHidden();
  expect((await page.pdf()).subarray(0, 5).toString()).toBe("%PDF-");
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await expect(sheet).toHaveCount(0);
});

test("copied, an answer is Markdown with its sources as footnotes", async ({
  chat,
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answered();
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("c");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain("[^1]");
  expect(copied).toMatch(/\[\^1\]: Diary, 6 April 2024.*: “/u);
});

test("a request is made complete, a struck fact goes, and a reply is held against it", async ({
  chat,
  page,
}) => {
  await chat.open();
  await chat.composer.fill(
    "Please send the cello strings to my workshop in Teramachi by 12 December 2025.",
  );
  await page.getByRole("button", { name: "Complete my request" }).click();
  const panel = page.getByRole("dialog", { name: "Complete my request" });
  await expect(panel.locator(".bridge-text")).toContainText("I moved the workshop to Teramachi");
  await expectAccessible(page);
  await panel.getByRole("checkbox", { name: /^Leave out: I moved the workshop/ }).uncheck();
  await expect(panel.locator(".bridge-text")).not.toContainText(
    "I moved the workshop to Teramachi",
  );
  await expect(
    panel.getByRole("checkbox", { name: /^Include: I moved the workshop/ }),
  ).toBeVisible();
  await panel.getByRole("button", { name: "Check a reply against it" }).click();
  await panel
    .getByRole("textbox", { name: "The reply you got" })
    .fill("The cello strings reach your workshop in Teramachi on 19 December 2025.");
  await panel.getByRole("button", { name: "Check", exact: true }).click();
  await expect(
    panel.getByRole("heading", { name: "The reply contradicts what you wrote." }),
  ).toBeVisible();
  await expect(panel.getByText("The reply names another day.").first()).toBeVisible();
  await expectAccessible(page);
});

test("what was told in one conversation is known in the next, and opens where it was said", async ({
  chat,
  page,
}) => {
  await chat.open();
  await chat.ask("I lent the red sewing machine to Farah in Kochi.");
  await chat.answered();
  const told = idOf(page);
  await chat.open();
  await chat.ask("Who has the red sewing machine?");
  await chat.answered();
  await expect(chat.last).toContainText("You said");
  await chat.last.locator(".note .stretch").first().click();
  const source = page.getByRole("region", { name: "Source" });
  await expect(source).toContainText("What you said in this chat");
  await source.getByRole("link", { name: "Open the chat" }).click();
  await expect.poll(() => idOf(page)).toBe(told);
  await expect(page.locator(".exchange.sought")).toContainText("sewing machine to Farah");
  await expectAccessible(page);
});
