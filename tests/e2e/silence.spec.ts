/**
 * The node goes away and comes back: what was on screen stays, and the sentence says what to do.
 */
import { expect, look, test } from "./fixtures";

test("a node that falls silent is named, and nothing on screen is lost", async ({
  page,
  library,
  expected,
}) => {
  expected.push(/ERR_CONNECTION_REFUSED|Failed to load resource/);
  await look(page.request, { language: "en" });
  await library.open();
  await expect(library.rows.first()).toBeVisible();
  // those below are drawn as far as there is room
  const first = async (): Promise<string[]> => (await library.rows.allInnerTexts()).slice(0, 5);
  const shown = await first();
  await page.route("**/api/**", (route) => route.abort("connectionrefused"));
  await expect(page.getByText("The node is not responding.")).toBeVisible({ timeout: 25_000 });
  await expect(page.getByText("Your memories are safe on disk.")).toBeVisible();
  await expect(page.getByText("lpm start")).toBeVisible();
  expect(await first()).toEqual(shown);
  await page.unroute("**/api/**");
  await expect(page.getByText("The node is not responding.")).toBeHidden({ timeout: 15_000 });
});

test("a page opened while the node is down says so in both languages", async ({
  page,
  expected,
}) => {
  expected.push(/ERR_CONNECTION_REFUSED|Failed to load resource/);
  await look(page.request, { language: "ja" });
  await page.goto("/");
  await expect(page.getByRole("textbox", { name: "質問" })).toBeVisible();
  await page.route("**/api/**", (route) => route.abort("connectionrefused"));
  await page.goto("/settings");
  await expect(page.getByText("ノードが応答していません。")).toBeVisible();
  await expect(page.getByText("記憶はディスクに無事に残っています。")).toBeVisible();
});
