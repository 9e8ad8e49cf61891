/**
 * A table from a ready-made one to its summary: who sits there, what is said turn by turn, what the
 * person says in between, and that nothing said becomes a memory unless it is kept.
 */
import { expect, expectAccessible, look, test } from "./fixtures";

const AIM = "Should I move the workshop to Teramachi?";
const OWN = "What did you leave behind in the old room?";

test.beforeEach(async ({ page }) => {
  await look(page.request, { language: "en" });
});

test("a ready-made table is opened, talks, is spoken to, and ends in a summary", async ({
  page,
}) => {
  test.slow();
  await page.goto("/table");
  await expect(page.getByRole("heading", { level: 1, name: "Table" })).toBeVisible();
  await page.getByRole("button", { name: "Choose “Prepare a decision”" }).click();
  await page.getByRole("textbox", { name: "What is the question?" }).fill(AIM);
  await expectAccessible(page, "a new table");
  await page.getByRole("button", { name: "Open the table" }).click();
  await expect(page).toHaveURL(/\/table\?id=/);
  await expect(page.getByRole("heading", { level: 2, name: AIM })).toBeVisible();

  const seats = page.getByRole("list", { name: "Who sits here" });
  await expect(seats.getByRole("listitem")).toHaveCount(4);
  const play = page.getByRole("list", { name: "What was said" });
  await expect(play.locator(".spoken").nth(1)).toBeVisible({ timeout: 30_000 });
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByRole("button", { name: "Resume" })).toBeVisible();
  await expect(play.getByText("The table is paused.")).toBeVisible();

  await page.getByRole("textbox", { name: "Say something to the table" }).fill(OWN);
  await page.keyboard.press("Control+Enter");
  const mine = play.locator(".spoken", { hasText: OWN });
  await expect(mine).toBeVisible();
  await expectAccessible(page, "a table that is paused");

  await mine.getByRole("button", { name: "Keep as a document" }).click();
  await expect(mine.getByRole("link", { name: "Kept as a document" })).toBeVisible();
  await mine.getByRole("button", { name: "Stop keeping it" }).click();
  await expect(mine.getByRole("link", { name: "Kept as a document" })).toBeHidden();

  await mine.getByRole("button", { name: "Strike the words" }).click();
  await expect(play.getByText("The words are gone; the entry and its hash stay.")).toBeVisible();
  await expect(play.getByText(OWN)).toBeHidden();

  await page.getByRole("button", { name: "End and sum up" }).click();
  await expect(page.getByRole("heading", { level: 3, name: "Summary" })).toBeVisible();
  await expect(page.getByText("This table has ended.")).toBeVisible();
  await expect(page.getByText(/each signed and chained to the one before/)).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { level: 3, name: "Summary" })).toBeVisible();
  await expectAccessible(page, "a table that has ended");

  await page.goto("/table");
  await expect(page.locator("#page").getByRole("link", { name: AIM })).toBeVisible();
});

test("a table of one's own needs a question and a seat, and can be deleted", async ({ page }) => {
  await page.goto("/table");
  await page.getByRole("checkbox", { name: "Your second self" }).uncheck();
  await page.getByRole("button", { name: "Open the table" }).click();
  await expect(page.getByText("Write the question")).toBeVisible();
  await expect(
    page.getByRole("alert").getByText("Choose your second self, a contact or a role"),
  ).toBeVisible();
  await page.getByRole("checkbox", { name: "Your second self" }).check();
  await page.getByRole("textbox", { name: "What is the question?" }).fill("Where is the bench?");
  await page.getByRole("button", { name: "Open the table" }).click();
  await expect(page).toHaveURL(/\/table\?id=/);
  await page.getByRole("button", { name: "Delete this table" }).click();
  await page.getByRole("button", { name: "Delete it" }).click();
  await expect(page).toHaveURL(/\/table$/);
  await expect(
    page.locator("#page").getByRole("link", { name: "Where is the bench?" }),
  ).toBeHidden();
});
