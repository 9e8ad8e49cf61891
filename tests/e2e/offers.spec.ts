/**
 * What one person offers another, between two nodes: offered, fetched, looked at, kept, refused and
 * had again, and withdrawn before it was fetched.
 */
import type { Page } from "@playwright/test";
import { expect, expectAccessible, look, test } from "./fixtures";
import { listed, meet, STARTS_MS } from "./meet";
import { startNode } from "./node";

const LETTER = "Dear Ren, the varnish has cured and the neck is straight again.\n";
const NOTE = "The bridge was cut down by half a millimetre.\n";
const LONG = "Day by day, what the humidity was in the drying room.\n".repeat(4_000);

/** Offer a document on the screen, by its title. */
async function offer(page: Page, title: string): Promise<void> {
  await page.getByRole("button", { name: "Offer Ren Aoki a document" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Offer a document" });
  const send = dialog.getByRole("button", { name: "Offer it" });
  await expect(send).toBeDisabled();
  await dialog.getByRole("searchbox", { name: "Find a document" }).fill(title);
  await expect(dialog.getByRole("radio", { name: new RegExp(`^${title} `) })).toHaveCount(1);
  await expectAccessible(page, "an offer that is made");
  await dialog.getByRole("radio", { name: new RegExp(`^${title} `) }).press("Space");
  await send.click();
  await expect(page.getByText(`“${title}” is offered to Ren Aoki.`)).toBeVisible();
}

test("a document is offered, fetched, looked at and kept; another refused and had again; a third withdrawn", async ({
  page,
  browser,
}) => {
  test.setTimeout(420_000);
  const other = await startNode();
  try {
    const context = await browser.newContext(other.signedIn);
    const theirs = await context.newPage();
    for (const each of [page, theirs]) await look(each.request, { language: "en" });
    for (const [title, text, hidden] of [
      ["Varnish", LETTER, false],
      ["Bridge", NOTE, false],
      ["Humidity", LONG, false],
      ["Ledger", "What the lease costs.", true],
    ] as const)
      expect(
        (
          await page.request.post("/api/documents", { data: { text, title, private: hidden } })
        ).ok(),
      ).toBe(true);
    await meet(page.request, theirs.request);

    await theirs.goto("/people?view=offers");
    await expect(theirs.getByRole("heading", { name: "Nothing is offered." })).toBeVisible({
      timeout: STARTS_MS,
    });
    await expectAccessible(theirs, "no offers");

    await page.goto("/people?view=offers");
    await page.getByRole("button", { name: "Offer Ren Aoki a document" }).click();
    const dialog = page.getByRole("dialog", { name: "Offer a document" });
    await dialog.getByRole("searchbox", { name: "Find a document" }).fill("Ledger");
    await expect(dialog.getByText("No document matches that could be offered.")).toBeVisible();
    await page.keyboard.press("Escape");
    for (const title of ["Varnish", "Bridge", "Humidity"]) await offer(page, title);
    const mine = page.getByRole("list", { name: "Offered by you" });
    await expect(mine.getByText("Not fetched yet.")).toHaveCount(3, { timeout: STARTS_MS });

    // They come by themselves, and count in the bar.
    const came = theirs.getByRole("list", { name: "Offered to you" });
    const line = (title: string) => came.getByRole("listitem").filter({ hasText: title });
    await expect(came.getByRole("listitem")).toHaveCount(3, { timeout: STARTS_MS });
    await expect(theirs.getByRole("link", { name: "Offers · 3" })).toBeVisible();
    await expect(line("Varnish")).toContainText(`from Nagi · text · ${LETTER.length} B`);
    await expectAccessible(theirs, "offers that came");

    await theirs.getByRole("button", { name: "Fetch: Varnish" }).press("Enter");
    const preview = theirs.getByRole("article", { name: "How it begins: Varnish" });
    await expect(preview).toContainText("the varnish has cured", { timeout: STARTS_MS });
    await expect(preview).toContainText("From Nagi. Nobody here checked it.");
    await expectAccessible(theirs, "an offer that is here");
    expect(await listed(theirs.request, "/api/documents")).toEqual([]);
    await theirs.getByRole("button", { name: "Keep: Varnish" }).press("Enter");
    await expect(line("Varnish").getByRole("link", { name: "Kept as a document" })).toBeVisible();
    const kept = await listed<{ title: string; folder: string }>(theirs.request, "/api/documents");
    expect(kept.map(({ title, folder }) => [title, folder])).toEqual([
      ["Nagi: Varnish", "from others"],
    ]);

    // Refused by mistake: the line at the foot of the spine takes it back.
    await theirs.getByRole("button", { name: "Refuse: Bridge" }).press("Enter");
    await expect(line("Bridge")).toContainText("You refused it.");
    await expect(theirs.getByText("You refused “Bridge”.").first()).toBeVisible();
    await theirs.getByRole("button", { name: "Take the refusal back: Bridge" }).press("Enter");
    await expect(theirs.getByRole("button", { name: "Fetch: Bridge" })).toBeVisible();

    // Withdrawn before it was fetched: the fetch says so, and nothing is here.
    await expect(mine.getByText("Fetched, all of it.")).toHaveCount(1, { timeout: STARTS_MS });
    await mine.getByRole("button", { name: "Withdraw: Humidity" }).press("Enter");
    await expect(
      mine.getByText("Withdrawn. What was fetched already stays with them."),
    ).toBeVisible();
    await theirs.getByRole("button", { name: "Fetch: Humidity" }).press("Enter");
    await expect(line("Humidity")).toContainText("they withdrew it, or their document", {
      timeout: STARTS_MS,
    });
    await expect(theirs.getByRole("button", { name: "Try again: Humidity" })).toBeVisible();

    // The same on a phone, in the dark and in the other language, and on the contact's page.
    await look(theirs.request, { language: "ja", theme: "dark" });
    await theirs.setViewportSize({ width: 390, height: 844 });
    await theirs.goto("/people?view=offers");
    await expect(theirs.getByRole("list", { name: "あなたへの提供" })).toBeVisible();
    await expectAccessible(theirs, "offers on a phone");
    expect(
      await theirs.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
    ).toBe(true);
    await page.getByRole("link", { name: "to Ren Aoki" }).first().click();
    await expect(page.getByRole("heading", { name: "Ren Aoki", exact: true })).toBeVisible();
    await expect(page.getByRole("list", { name: "Offered by you" })).toContainText("Bridge");
    await context.close();
  } finally {
    await other.stop();
  }
});
