/** What fades and why: what was told in conversations, tier by tier, with a way back. */
import { expect, expectAccessible, look, test } from "./fixtures";

test("what was told in a chat stands among what is recent, opens where it was said, and is brought back", async ({
  page,
  frame,
  chat,
}) => {
  await look(page.request, { language: "en" });
  await chat.open();
  await chat.ask("I lent the telescope to Noor.");
  await chat.answered();
  await chat.open();
  await chat.ask("Which stars are seen in March?");
  await chat.answered();
  await page.goto("/memory?view=fading");
  await expect(page.getByText("No memory fades.")).toBeVisible();
  await expect(page.getByText("Nothing that you told in conversations fades.")).toBeVisible();
  await page.getByRole("button", { name: /Recent/u }).click();
  const told = page.getByRole("article", { name: "I lent the telescope to Noor." });
  await expect(told.getByText("Weighed a day after the conversation")).toBeVisible();
  await expectAccessible(page);
  await told.getByRole("button", { name: "Bring back" }).click();
  await expect(told.getByRole("button", { name: "Let fade" })).toBeVisible();
  await frame.undo.first().click();
  await expect(told.getByRole("button", { name: "Bring back" })).toBeVisible();
  await told.getByRole("link", { name: "Open the conversation" }).click();
  await expect(page).toHaveURL(/[?&]id=.*&turn=/u);
  await expect(chat.last.getByRole("heading", { level: 2 })).toHaveText(
    "I lent the telescope to Noor.",
  );
});
