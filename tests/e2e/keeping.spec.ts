/** What a conversation keeps: nothing, a summary, everything; and its threads, parted by hand. */
import { expect, expectAccessible, look, test } from "./fixtures";

test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

test("a private conversation is gone once it is left, and nothing of it is known elsewhere", async ({
  chat,
  page,
}) => {
  await chat.open();
  await page.locator("main").press("Shift+N");
  await expect(page.getByText(/^Private: nothing said here becomes memory/u)).toBeVisible();
  await chat.ask("I hid the harmonium in the barn.");
  await chat.answered();
  await expectAccessible(page);
  const { searchParams } = new URL(page.url());
  await page.goto("/library");
  await expect
    .poll(async () =>
      (await page.request.get(`/api/conversations/${searchParams.get("id") ?? ""}`)).status(),
    )
    .toBe(404);
  const found = await page.request.post("/api/recall", { data: { query: "harmonium barn" } });
  expect(await found.text()).not.toContain("harmonium");
});

test("what was said is thrown away but for a summary, once one says so", async ({ chat, page }) => {
  await chat.open();
  await chat.ask("I decided to sell the zither. Which shops buy old instruments?");
  await chat.answered();
  await page.getByRole("button", { name: "Keeps everything" }).click();
  await page.getByRole("radio", { name: /^A summary/u }).check();
  await expect(page.getByText(/^The words of 2 turns are thrown away/u)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Throw away the words of 2 turns" }).click();
  await expect(page.getByText("2 turns, of which only the summary was kept")).toBeVisible();
  await expect(page.locator(".reduced").getByText("I decided to sell the zither.")).toBeVisible();
  await page.reload();
  await expect(page.getByText("2 turns, of which only the summary was kept")).toBeVisible();
});

test("a thread is parted and joined by hand, each with a way back", async ({
  chat,
  page,
  frame,
}) => {
  await chat.open();
  await chat.ask("I lent the bassoon to Ines.");
  await chat.answered();
  await chat.ask("The swifts are back above the station.");
  await chat.answered();
  await chat.last.hover();
  await chat.last.getByRole("button", { name: "Begin a new thread here" }).click();
  const join = page.getByRole("button", { name: "Join with the thread above" });
  await expect(join).toHaveCount(1);
  await expectAccessible(page);
  await frame.undo.first().click();
  await expect(join).toHaveCount(0);
  await chat.last.getByRole("button", { name: "Begin a new thread here" }).click();
  await join.click();
  await expect(join).toHaveCount(0);
});
