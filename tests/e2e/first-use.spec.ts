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

test("with nothing in it yet, the node says so and does not make anything up", async ({ page, empty }) => {
  const chat = new Chat(page);
  await page.goto(empty.login());
  await expect(page).toHaveURL(/\/welcome$/);
  await new Welcome(page).goOn.click();
  await expect(page.getByRole("heading", { name: "There is nothing to ask about yet." })).toBeVisible();
  await chat.ask("When did I move the workshop?");
  await chat.answered();
  await expect(chat.last.getByText("Nothing in memory answers this")).toBeVisible();
});

test("a name, a page of a diary, and what was read of it with its place", async ({ page, empty }) => {
  const complaints = watch(page);
  const welcome = new Welcome(page);
  await page.goto(empty.login());
  await expect(page).toHaveURL(/\/welcome$/);
  await expect(welcome.goOn).toBeEnabled();
  await expect(page.getByText("Nothing leaves this machine")).toBeVisible();
  await expect(page.getByText("Listens only here")).toBeVisible();
  await expectAccessible(page);

  await welcome.name.fill("ソレル 凪");
  await welcome.paste(DIARY.text);
  const right = page.getByRole("region", { name: "I read 1 document." });
  await expect(right).toBeVisible({ timeout: 20_000 });
  await expect(right.getByText("I moved the workshop to Teramachi")).toBeVisible();
  await expect(right.getByText(/#L\d/).first()).toBeVisible();
  await expectAccessible(page);

  await welcome.goOn.click();
  await expect(page).toHaveURL(`${empty.address}/`);
  await expect(page.getByRole("navigation", { name: "Places" }).first().getByText("ソレル 凪")).toBeVisible();
  const chat = new Chat(page);
  await chat.ask("When did I move the workshop to Teramachi?");
  await chat.answered();
  expect(await complaints()).toEqual([]);
});

test("the sample life is a command, for a home of its own", async ({ page, empty }) => {
  await page.goto(empty.login());
  await page.goto("about:blank");
  await page.goto(`${empty.address}/welcome`);
  await page.getByRole("button", { name: "Try a sample life" }).click();
  await expect(page.getByRole("dialog", { name: "A sample life" }).getByText("make demo")).toBeVisible();
});

test("a browser that the node does not know is told how to open it", async ({ page, empty }) => {
  await page.goto(`${empty.address}/library`);
  await expect(page.getByRole("alert").first()).toContainText("This browser is not signed in.");
  await expect(page.getByText("lpm open")).toBeVisible();
  await expectAccessible(page);
});
