/**
 * A contact's second self at a table: asked, sat down under tags, heard on both screens, and gone.
 */
import { expect, expectAccessible, look, test } from "./fixtures";
import { meet, STARTS_MS } from "./meet";
import { SCRIPT, startNode } from "./node";

const AIM = "Where is the rosin kept?";
const MINE = "# Rosin\n\nI keep the rosin in the drawer under the window.\n";
const THEIRS = "# Rosin\n\nI keep the rosin in the cupboard by the door.\n";

test("a contact's second self is asked to a table, sits down under tags, speaks, and leaves", async ({
  browser,
}) => {
  test.setTimeout(420_000);
  const one = await startNode(SCRIPT);
  const other = await startNode(SCRIPT);
  try {
    const page = await (await browser.newContext(one.signedIn)).newPage();
    const context = await browser.newContext(other.signedIn);
    const theirs = await context.newPage();
    for (const [each, text] of [
      [page, MINE],
      [theirs, THEIRS],
    ] as const) {
      await look(each.request, { language: "en" });
      const made = await each.request.post("/api/documents", {
        data: { text, title: "Rosin", tags: ["bench"] },
      });
      expect(made.ok()).toBe(true);
    }
    const named = await page.request.put("/api/identity", { data: { name: "Nagi Sorrel" } });
    expect(named.ok()).toBe(true);
    await meet(page.request, theirs.request);

    await page.goto("/table");
    await page.getByRole("checkbox", { name: "The second self of Ren Aoki" }).check();
    await page.getByRole("textbox", { name: "What is the question?" }).fill(AIM);
    await page.getByRole("button", { name: "Open the table" }).click();
    await expect(page.getByText("Choose at least one tag")).toBeVisible();
    await page.getByRole("checkbox", { name: /bench/ }).check();
    // It goes on until somebody leaves.
    await page.getByRole("radio", { name: "6", exact: true }).check({ force: true });
    for (const early of ["All agree", "Nothing new is cited in a round"])
      await page.getByRole("checkbox", { name: early }).uncheck();
    await expectAccessible(page, "a table with a contact that is opened");
    await page.getByRole("button", { name: "Open the table" }).click();
    await expect(page).toHaveURL(/\/table\?id=/);
    const seats = page.getByRole("list", { name: "Who sits here" });
    await expect(seats).toContainText("invited");

    await theirs.goto("/");
    const places = theirs.getByRole("navigation", { name: "Main menu" });
    const waits = places.getByRole("link", { name: "1 invitation" });
    await expect(waits).toBeVisible({ timeout: STARTS_MS });
    await waits.click();
    const invitations = theirs.getByRole("region", { name: "Invitations" });
    await expect(invitations.getByText("Invitation from Nagi")).toBeInViewport({
      timeout: STARTS_MS,
    });
    await theirs.locator("#page").getByRole("link", { name: AIM }).click();
    const place = theirs.getByRole("form", { name: "Your place at this table" });
    await expect(place).toContainText("Nagi invites your second self to this table.");
    await expect(place).toContainText("sees the whole record and keeps a copy");
    await place.getByRole("button", { name: "Sit down" }).click();
    await expect(place.getByRole("alert")).toHaveText("Choose at least one tag");
    await place.getByRole("checkbox", { name: /bench/ }).check();
    await expectAccessible(theirs, "an invitation to a table");
    await place.getByRole("button", { name: "Sit down" }).press("Enter");
    await expect(theirs.getByText("Your second self may use: bench (excerpts).")).toBeVisible();
    await expect(waits).toHaveCount(0);

    // Both hear what both say, and each sees where the own words come from.
    for (const each of [page, theirs])
      await expect(
        each
          .getByRole("list", { name: "What was said" })
          .getByText(/cupboard by the door/)
          .first(),
      ).toBeVisible({ timeout: 2 * STARTS_MS });
    await expectAccessible(page, "a table at which a contact spoke");
    await theirs.getByRole("button", { name: "Leave this table" }).click();
    const sure = theirs.getByRole("dialog", { name: "Leave this table" });
    await sure.getByRole("button", { name: "Leave this table" }).click();
    await expect(theirs.getByText("You left this table. Nagi will be told.")).toBeVisible();
    await expect(seats.getByRole("listitem").filter({ hasText: "Ren Aoki" }).first()).toContainText(
      "left",
      { timeout: 2 * STARTS_MS },
    );
    await look(theirs.request, { language: "ja", theme: "dark" });
    await theirs.setViewportSize({ width: 390, height: 844 });
    await theirs.reload();
    await expect(theirs.getByText("退席しました。Nagiに伝わります。")).toBeVisible();
    await expectAccessible(theirs, "a table that was left, on a phone");
    await context.close();
  } finally {
    await one.stop();
    await other.stop();
  }
});
