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
  await page.getByRole("button", { name: "Add it" }).click();
  const list = page.getByRole("list", { name: "Files of the workspace" });
  await expect(list.getByRole("link").first()).toHaveText("memory.md");
  await list.getByRole("link", { name: "memory.md" }).click();
  const one = page.getByRole("complementary", { name: "One file" });
  await expect(one.getByRole("heading", { level: 2, name: "memory.md" })).toBeFocused();
  const always = one.getByRole("region", { name: "In every prompt" });
  await expect(always).toContainText("I drink no coffee.");
  await expect(always).toContainText(/of 400 tokens/);
  await one.getByRole("button", { name: "Change it" }).click();
  await one
    .getByRole("textbox", { name: "How the file reads" })
    .fill("- I drink no coffee before noon.");
  await one.getByRole("button", { name: "Write it" }).click();
  await expect(always).toContainText("I drink no coffee before noon.");
  const before = one.getByRole("region", { name: "What it said before" });
  await expect(before.getByRole("listitem").first()).toContainText("Wording 2");
  await expect(before.getByRole("listitem").first()).toContainText("as it reads now");
  await before.getByRole("button", { name: "What it changed" }).first().click();
  const diff = before.getByRole("list", { name: "What wording 2 changed" });
  await expect(diff.locator("ins")).toContainText("added: - I drink no coffee before noon.");
  await expect(diff.locator("del").last()).toContainText("removed: - I drink no coffee.");
  await expect(diff.getByText("+", { exact: true })).toBeVisible();
  await expectAccessible(page);
  await before.getByRole("button", { name: "Have it read so again" }).last().click();
  await expect(always).not.toContainText("before noon");
  // The list looks at the files by itself; the way back is offered once the writing is done.
  await expect(page.getByText("Had a file read as before").first()).toBeVisible();
  await frame.undo.first().click();
  await expect(always).toContainText("before noon");
});
