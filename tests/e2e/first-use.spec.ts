/** A new person, an empty home: from the open book to the first question. */
import { test as base, expect } from "@playwright/test";
import { expectAccessible, watch } from "./fixtures";
import { DIARY } from "./life";
import { startNode, type RunningNode } from "./node";
import { Chat } from "./pages/chat";
import { Welcome } from "./pages/welcome";

const test = base.extend<object, { empty: RunningNode }>({
  empty: [
    async ({}, use) => {
      const node = await startNode();
      await use(node);
      await node.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
});

test("with nothing in it yet, the node says so and does not make anything up", async ({
  page,
  empty,
}) => {
  const chat = new Chat(page);
  await page.goto(empty.login());
  await expect(page).toHaveURL(/\/welcome$/);
  await new Welcome(page).goOn.click();
  await expect(
    page.getByRole("heading", { name: "There is nothing to ask about yet." }),
  ).toBeVisible();
  await chat.ask("When did I move the workshop?");
  await chat.answered();
  await expect(chat.last.getByText("Nothing in memory answers this")).toBeVisible();
});

test("from the first page to an answer with its evidence, in one go", async ({ page, empty }) => {
  const complaints = watch(page);
  const welcome = new Welcome(page);
  await page.goto(empty.login());
  await expect(page).toHaveURL(/\/welcome$/);
  await expect(welcome.goOn).toBeEnabled();
  await expect(page.getByText("Nothing leaves this machine")).toBeVisible();
  for (const check of ["Who can reach it", "Model on disk", "Outgoing connections", "Your folder"])
    await expect(page.getByText(check, { exact: true })).toBeVisible();
  await expectAccessible(page);

  await welcome.name.fill("ソレル 凪");
  await welcome.paste(DIARY.text);
  const found = page.getByRole("article");
  await expect(page.getByRole("heading", { name: /^I found \d+ things?\.$/ })).toBeVisible({
    timeout: 20_000,
  });
  await expect(found.first().getByText(/ · lines? \d/)).toBeVisible();
  await expectAccessible(page);

  // Keep by button, take it back, mend by key.
  const before = await found.count();
  const first = (await found.first().getByRole("blockquote").textContent()) ?? "";
  await found.first().getByRole("button", { name: "Keep" }).click();
  await expect(found).toHaveCount(before - 1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(found).toHaveCount(before);
  await page.getByRole("article", { name: first }).getByRole("button", { name: "Keep" }).focus();
  await page.keyboard.press("c");
  const right = page.getByRole("textbox", { name: "Correct wording" });
  await expect(right).toHaveValue(first);
  await right.fill("I moved the workshop to Teramachi in the rain.");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Corrected.")).toBeVisible();

  await page.getByText("You could ask").locator("..").getByRole("button").click();
  await expect(
    page.getByRole("navigation", { name: "Main menu" }).first().getByText("ソレル 凪"),
  ).toBeVisible();
  const chat = new Chat(page);
  await chat.answered();
  await expect(chat.citation(1)).toBeVisible();
  expect(await complaints()).toEqual([]);
});

test("the sample life has a home of its own, which is named before it is opened", async ({
  page,
  empty,
}) => {
  await page.goto(empty.login());
  await page.goto("about:blank");
  await page.goto(`${empty.address}/welcome`);
  await page.getByRole("button", { name: "Try a sample life" }).click();
  const sample = page.getByRole("dialog", { name: "A sample life" });
  await expect(sample.getByRole("button", { name: "Open her home" })).toBeEnabled();
  await expect(sample.getByText(/-demo$/)).toBeVisible();
  await expectAccessible(page);
});

test("a browser that the node does not know is told how to open it", async ({ page, empty }) => {
  await page.goto(`${empty.address}/library`);
  await expect(page.getByRole("alert").first()).toContainText("This browser is not signed in.");
  await expect(page.getByText("lpm open")).toBeVisible();
  await expectAccessible(page);
});
