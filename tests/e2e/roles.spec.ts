/** A role from a starter to a chat: what it sees is counted while one writes, it is tried before it is kept, and every screen says who speaks. */
import { expect, expectAccessible, look, test } from "./fixtures";

const SAYS = "Rehearse the move to Teramachi with me.";
const OWN = "What did you leave behind in the old room?";

test.beforeEach(async ({ page }) => {
  await look(page.request, { language: "en" });
  const known = (await (await page.request.get("/api/roles")).json()) as { items: { id: string }[] };
  for (const { id } of known.items) await page.request.delete(`/api/roles/${id}`);
});

test("a role is begun from a starter, limited, tried, kept and spoken with", async ({ page, chat }) => {
  test.slow();
  await page.goto("/roles");
  await page.getByRole("button", { name: "Begin from “Interview coach”" }).click();
  await expect(page.getByRole("textbox", { name: "What is it called?" })).toHaveValue("Interview coach");
  const sight = page.getByRole("region", { name: "What it may see" });
  const count = sight.getByRole("status");
  await expect(count).toContainText("passages");
  const all = await count.textContent();

  await page.getByRole("button", { name: "Kind of document" }).click();
  await page.getByRole("checkbox", { name: /^PDF/ }).check();
  await expect(count).not.toHaveText(all ?? "");
  await expect(sight.getByText("I moved the workshop to Teramachi")).toBeHidden();
  await page.getByRole("checkbox", { name: /^PDF/ }).uncheck();
  await page.keyboard.press("Escape");
  await expect(count).toHaveText(all ?? "");

  const trial = page.getByRole("region", { name: "Try it" });
  await trial.getByRole("textbox", { name: "Say something to it" }).fill(SAYS);
  await trial.getByRole("button", { name: "Try" }).click();
  await expect(trial.getByText(OWN)).toBeVisible({ timeout: 20_000 });
  await expect(trial.getByText("no memory carries them")).toBeVisible();
  await expectAccessible(page, "the editor");

  await page.getByRole("button", { name: "Keep this role" }).click();
  await page.getByRole("link", { name: "Chat with “Interview coach”" }).click();
  await expect(page.getByText("“Interview coach” speaks here.")).toBeVisible();
  await expect(page.getByPlaceholder("Ask “Interview coach”")).toBeVisible();
  await chat.ask(SAYS);
  await chat.answered();
  await expect(chat.last.locator(".played").getByText(OWN)).toBeVisible();
  await expect(chat.citation(1)).toBeVisible();
  await page.reload();
  await expect(page.getByText("“Interview coach” speaks here.")).toBeVisible();
  await expect(page.getByRole("link", { name: /^With “Interview coach”:/ })).toHaveAttribute("aria-current", "true");
  await expectAccessible(page, "a chat with a role");
});

test("a role is deleted and brought back, and one that asks for what is sealed says so", async ({ page, frame }) => {
  await page.request.post("/api/roles", { data: { name: "Editor", prompt: "You edit.", sees: { private: true } } });
  await page.goto("/roles");
  await page.getByRole("button", { name: "Delete “Editor”" }).click();
  await expect(page.getByRole("link", { name: "Chat with “Editor”" })).toBeHidden();
  await frame.undo.first().click();
  await expect(page.getByRole("link", { name: "Chat with “Editor”" })).toBeVisible();
  await page.keyboard.press("1");
  await expect(page).toHaveURL(/\/$/);
  await page.keyboard.press("7");
  await expect(page).toHaveURL(/\/roles$/);
});

test("a role goes out as a file and comes in again", async ({ page }) => {
  await page.request.post("/api/roles", { data: { name: "Editor", prompt: "You edit.", id: "editor-to-go" } });
  await page.goto("/roles");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Hand “Editor” on as a file" }).click()]);
  await page.locator("input[type=file]").first().setInputFiles(await download.path());
  await expect(page).toHaveURL(/\/roles\?id=editor-to-go-2$/);
  await expect(page.getByRole("textbox", { name: "What does it do, and what not?" })).toHaveValue("You edit.");
});
