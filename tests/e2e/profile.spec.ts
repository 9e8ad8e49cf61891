/** The profile: counted of what is said, each line with its messages, changed with a way back. */
import { expect, expectAccessible, look, test } from "./fixtures";

test("what is said is counted, opens where it was said, and is renamed and hidden with a way back", async ({
  page,
  frame,
  chat,
}) => {
  await look(page.request, { language: "en" });
  await chat.open();
  await chat.ask("I sold the accordion to Farah.");
  await chat.answered();
  await page.goto("/memory?view=profile");
  const topics = page.getByRole("region", { name: "Topics" });
  await topics.getByRole("link", { name: /^accordion/ }).click();
  const one = page.getByRole("article", { name: "accordion" });
  await expect(one.getByRole("link", { name: /^I sold the accordion to Farah/ })).toBeVisible();
  await expectAccessible(page);
  await one.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Music");
  await page.keyboard.press("Enter");
  await expect(topics.getByRole("link", { name: /^Music/ })).toBeVisible();
  await page.getByRole("button", { name: "Hide" }).click();
  await expect(topics.getByRole("link", { name: /^Music/ })).toHaveCount(0);
  await frame.undo.first().click();
  await topics.getByRole("link", { name: /^Music/ }).click();
  await page.getByRole("link", { name: /^I sold the accordion to Farah/ }).click();
  await expect(page).toHaveURL(/[?&]id=.*&turn=/);
  await expect(chat.last.getByRole("heading", { level: 2 })).toHaveText(
    "I sold the accordion to Farah.",
  );
});
