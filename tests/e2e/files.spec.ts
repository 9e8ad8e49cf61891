/** The files of the workspace: read, written to and brought back, in a home of their own. */
import { expect, expectAccessible, look, test as base } from "./fixtures";
import { startNode, type RunningNode } from "./node";

const test = base.extend<object, { node: RunningNode }>({
  node: [
    async ({ playwright }, use) => {
      const node = await startNode();
      const request = await playwright.request.newContext(node.signedIn);
      await request.put("/api/identity", {
        data: { name: "Nagi Sorrel", introduction: "", style: "", languages: ["en", "ja"] },
      });
      await request.dispose();
      await use(node);
      await node.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

test("a file is read, written to and brought back, and what changed is a sign and a word before it is a colour", async ({
  page,
  frame,
}) => {
  await page.goto("/memory?view=files");
  await page.getByRole("button", { name: /^The first line/ }).click();
  await page.getByRole("textbox", { name: "The first line" }).fill("- I drink no coffee.");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  const list = page.getByRole("list", { name: "Files of the workspace" });
  await expect(list.getByRole("link").first()).toHaveText("memory.md");
  await list.getByRole("link", { name: "memory.md" }).click();
  const one = page.getByRole("complementary", { name: "One file" });
  await expect(one.getByRole("heading", { level: 2, name: "memory.md" })).toBeFocused();
  const always = one.getByRole("region", { name: "In every prompt" });
  await expect(always).toContainText("I drink no coffee.");
  await expect(always).toContainText(/of 400 tokens/);
  await one.getByRole("button", { name: "Edit", exact: true }).click();
  await one
    .getByRole("textbox", { name: "Text of the file" })
    .fill("- I drink no coffee before noon.");
  await one.getByRole("button", { name: "Save" }).click();
  await expect(always).toContainText("I drink no coffee before noon.");
  const before = one.getByRole("region", { name: "Earlier versions" });
  await expect(before.getByRole("listitem").first()).toContainText("Version 2");
  await expect(before.getByRole("listitem").first()).toContainText("current");
  await before.getByRole("button", { name: "Changes", exact: true }).first().click();
  const diff = before.getByRole("list", { name: "Changes in version 2" });
  await expect(diff.locator("ins")).toContainText("added: - I drink no coffee before noon.");
  await expect(diff.locator("del").last()).toContainText("removed: - I drink no coffee.");
  await expect(diff.getByText("+", { exact: true })).toBeVisible();
  await expectAccessible(page);
  await before.getByRole("button", { name: "Restore this version" }).last().click();
  await expect(always).not.toContainText("before noon");
  // The list looks at the files by itself; the way back is offered once the writing is done.
  await expect(page.getByText("Restored a version of a file").first()).toBeVisible();
  await frame.undo.first().click();
  await expect(always).toContainText("before noon");
});
