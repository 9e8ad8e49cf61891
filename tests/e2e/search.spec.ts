/** Finding the place where it stands, and why it was found. */
import type { Route } from "@playwright/test";
import { expect, expectAccessible, look, test } from "./fixtures";

test("results say why they were found and open at their place", async ({ search, page }) => {
  await look(page.request, { language: "en" });
  await search.open();
  await search.find("proper goodbye to Mr Ide");
  const first = search.hits.first();
  await expect(first).toContainText("I owe him a proper goodbye");
  await first.getByRole("button", { name: /Why it was found/ }).click();
  for (const signal of ["words", "meaning", "time", "names", "neighbours"])
    await expect(first.getByRole("rowheader", { name: signal })).toBeVisible();
  await expect(first.getByText(/Matched words: .*goodbye/)).toBeVisible();
  await expect(page.getByText("By words and meaning.")).toBeVisible();
  await first.getByRole("button", { name: /Open the source/ }).click();
  await expect(
    page
      .getByRole("region", { name: "Source", exact: true })
      .locator("mark")
      .filter({ hasText: "proper goodbye" }),
  ).toBeInViewport();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("region", { name: "Source", exact: true })).toBeHidden();
});

test("dates narrow it down", async ({ search, page }) => {
  await look(page.request, { language: "en" });
  await page.goto("/search?q=workshop&since=2030-01-01");
  await expect(page.getByText("Nothing found for “workshop”.")).toBeVisible();
  await page.getByRole("button", { name: "Any time" }).click();
  await expect(search.hits.first()).toBeVisible();
});

test("a two-character Japanese word is found", async ({ search, page }) => {
  await look(page.request, { language: "ja" });
  await search.open();
  await search.find("梅雨");
  await expect(search.hits.first()).toContainText("梅雨をひとつ見届けて");
  await expect(page.getByText(/一致した言葉：.*梅雨/).first()).toBeVisible();
});

test("answers come while one types, and names narrow them down", async ({ search, page }) => {
  await look(page.request, { language: "en" });
  await search.open();
  // Once it rests, a word is asked for as it stands: that waits until what came before was seen.
  const rested: Route[] = [];
  await page.route(/\/api\/recall\?/, async (route) => {
    if (route.request().url().includes("typing=")) await route.continue();
    else rested.push(route);
  });
  await search.field.pressSequentially("proper goodb");
  await expect(search.hits.first()).toContainText("proper goodbye");
  await expect(search.hits.first().locator("mark").filter({ hasText: "goodbye" })).toBeVisible();
  await page.unroute(/\/api\/recall\?/);
  for (const each of rested) await each.continue();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Person or thing" }).click();
  await page.getByRole("textbox", { name: "Find a name" }).fill("Nobody at all");
  await page.getByRole("textbox", { name: "Find a name" }).fill("");
  await page.getByRole("group", { name: "Person or thing" }).getByRole("checkbox").first().click();
  await expect(
    page.getByRole("group", { name: "Person or thing" }).getByRole("checkbox", { checked: true }),
  ).toHaveCount(1);
  await expect(page).toHaveURL(/who=/);
});

test("a search says which results are statements, and takes only those", async ({
  page,
  search,
}) => {
  await look(page.request, { language: "en" });
  await page.request.post("/api/memories", {
    data: { line: "O(c=0.95) @Ottilie: thinks gut strings are worth the trouble" },
  });
  await search.open();
  await expect
    .poll(
      async () =>
        (
          await (
            await page.request.post("/api/recall", {
              data: { query: "gut strings", kinds: ["opinion"] },
            })
          ).json()
        ).items.length,
      { timeout: 15_000 },
    )
    .toBeGreaterThan(0);
  await search.find("gut strings");
  await page.getByRole("button", { name: "Memory or text" }).click();
  await page.getByRole("checkbox", { name: "Opinion" }).click();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/said=opinion/);
  const hit = search.hits.filter({ hasText: "gut strings are worth the trouble" });
  await expect(hit).toContainText("Opinion");
  await expect(hit).toContainText("sure");
  await expectAccessible(page);
});
