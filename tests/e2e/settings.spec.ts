/** Everything that can be changed, each with what it means. */
import { expect, look, test } from "./fixtures";

test.beforeEach(async ({ page, settings }) => {
  await look(page.request, { language: "en" });
  await settings.open();
});

test("a model is tested before it is used, and a dead one is not", async ({ settings, page }) => {
  const model = settings.section("Model");
  await model.getByRole("radio", { name: "An OpenAI-compatible endpoint" }).check();
  await model.getByRole("textbox", { name: "Address" }).fill("http://127.0.0.1:9/v1");
  await model.getByRole("button", { name: "Test the model" }).click();
  await expect(model.locator(".verdict.no, [role=alert]")).toBeVisible({ timeout: 15_000 });
  await expect(model.getByRole("button", { name: "Use this" })).toBeDisabled();
  await expect(page.getByText("Scripted twin", { exact: true })).toBeVisible();

  await model.getByRole("textbox", { name: "Address" }).fill("https://models.example.org/v1");
  await expect(model.getByText("This address is not on this machine")).toBeVisible();
});

test("a key is shown once and revoked", async ({ settings, page }) => {
  const keys = settings.section("Keys for programs");
  await keys.getByRole("textbox", { name: "What is it for?" }).fill("Editor");
  await keys.getByRole("button", { name: "Create a key" }).click();
  const secret = (await keys.locator("code").textContent()) ?? "";
  expect(secret.length).toBeGreaterThan(20);
  const asks = async (): Promise<number> =>
    (
      await fetch(new URL("/v1/models", page.url()), {
        headers: { authorization: `Bearer ${secret}` },
      })
    ).status;
  expect(await asks()).toBe(200);
  await page.reload();
  await expect(keys.getByText("Editor")).toBeVisible();
  await expect(keys.getByText(secret)).toBeHidden();
  await keys.getByRole("button", { name: "Revoke the key “Editor”" }).click();
  await expect(keys.getByText("no longer works")).toBeVisible();
  expect(await asks()).toBe(401);
});

test("a change of name is saved as one types, and can be undone", async ({
  settings,
  frame,
  page,
}) => {
  const you = settings.section("You");
  await you.getByRole("textbox", { name: "Name" }).fill("Nagi S.");
  await expect(frame.places.getByText("Nagi S.")).toBeVisible();
  await frame.undo.first().click();
  await expect(frame.places.getByText("Nagi Sorrel")).toBeVisible();
  await you.getByRole("textbox", { name: "Name" }).fill(" ");
  await expect(you.getByText("Enter a name")).toBeVisible();
  await page.reload();
  await expect(you.getByRole("textbox", { name: "Name" })).toHaveValue("Nagi Sorrel");
});

test("the line that says what has left leads to the page that says who can reach what, on a desk and on a phone", async ({
  page,
}) => {
  await page.goto("/library");
  await page
    .getByRole("navigation", { name: "Main menu" })
    .getByRole("link", { name: /^(Nothing sent out|.* sent out)$/ })
    .click();
  await expect(page).toHaveURL(/\/exposure$/);
  await expect(
    page.getByRole("heading", { level: 1, name: "Who can reach what" }),
  ).toBeInViewport();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/library");
  await page.getByRole("button", { name: /sent out.*Node status/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("link", { name: /sent out$/ })
    .click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(
    page.getByRole("heading", { level: 1, name: "Who can reach what" }),
  ).toBeInViewport();
});

test("the checks are sentences with a mark", async ({ settings }) => {
  const health = settings.section("Health");
  await expect(health.getByText("Who can reach it")).toBeVisible();
  await expect(health.getByRole("listitem")).not.toHaveCount(0);
  await health.getByRole("button", { name: "Check again" }).click();
  await expect(health.getByText("Your folder")).toBeVisible();
});
