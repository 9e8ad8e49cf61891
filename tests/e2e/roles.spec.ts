/**
 * A role from a starter to a chat: what it sees is counted while one writes, it is tried before it
 * is kept, and every screen says who speaks.
 */
import { expect, expectAccessible, look, test } from "./fixtures";

const SAYS = "Rehearse the move to Teramachi with me.";
const OWN = "What did you leave behind in the old room?";

test.beforeEach(async ({ page }) => {
  await look(page.request, { language: "en" });
  const known = (await (await page.request.get("/api/roles")).json()) as {
    items: { id: string }[];
  };
  for (const { id } of known.items) await page.request.delete(`/api/roles/${id}`);
});

test("a role is begun from a starter, limited, tried, kept and spoken with", async ({
  page,
  chat,
}) => {
  test.slow();
  await page.goto("/roles");
  await page.getByRole("button", { name: "Start from “Interview coach”" }).click();
  await expect(page.getByRole("textbox", { name: "What is it called?" })).toHaveValue(
    "Interview coach",
  );
  const sight = page.getByRole("region", { name: "What it may see" });
  const count = sight.getByRole("status");
  await expect(count).toContainText("passages");
  const all = await count.textContent();

  await page.getByRole("button", { name: "Kind of document" }).click();
  await page.getByRole("checkbox", { name: /^PDF/ }).check();
  await expect(count).not.toHaveText(all ?? "");
  await expect(sight.getByText("I moved the workshop to Teramachi")).toBeHidden();
  await page.getByRole("checkbox", { name: /^PDF/ }).uncheck();
  await page.keyboard.press("Escape");
  await expect(count).toHaveText(all ?? "");

  const trial = page.getByRole("region", { name: "Try it" });
  await trial.getByRole("textbox", { name: "Say something to it" }).fill(SAYS);
  await trial.getByRole("button", { name: "Try" }).click();
  await expect(trial.getByText(OWN)).toBeVisible({ timeout: 20_000 });
  await expect(trial.getByText("not from your memory")).toBeVisible();
  await expectAccessible(page, "the editor");

  await page.getByRole("button", { name: "Save this role" }).click();
  await page.getByRole("link", { name: "Chat with “Interview coach”" }).click();
  await expect(page.getByText("You are talking to “Interview coach”.")).toBeVisible();
  await expect(page.getByPlaceholder("Ask “Interview coach”")).toBeVisible();
  const looks = page.getByRole("button", { name: /^Looks at/ });
  await expect(looks).toHaveText(/^Looks at\d+ of \d+ passages$/);
  await looks.click();
  await expect(page.getByRole("link", { name: "Change what this role sees" })).toBeVisible();
  await expectAccessible(page, "what an answer may look at");
  await page.keyboard.press("Escape");
  await chat.ask(SAYS);
  await chat.answered();
  await expect(chat.last.locator(".played").getByText(OWN)).toBeVisible();
  await expect(chat.citation(1)).toBeVisible();
  await page.reload();
  await expect(page.getByText("You are talking to “Interview coach”.")).toBeVisible();
  await expect(page.getByRole("link", { name: /^With “Interview coach”:/ })).toHaveAttribute(
    "aria-current",
    "true",
  );
  await expectAccessible(page, "a chat with a role");

  await looks.click();
  await page.getByRole("link", { name: "Ask all documents" }).click();
  await expect(looks).toHaveText(/^Looks at(1 document|all \d+ documents), private ones too$/);
});

test("a role is deleted and brought back, and one that asks for what is sealed says so", async ({
  page,
  frame,
}) => {
  await page.request.post("/api/roles", {
    data: { name: "Editor", prompt: "You edit.", sees: { private: true } },
  });
  await page.goto("/roles");
  await page.getByRole("button", { name: "Delete “Editor”" }).click();
  await expect(page.getByRole("link", { name: "Chat with “Editor”" })).toBeHidden();
  await frame.undo.first().click();
  await expect(page.getByRole("link", { name: "Chat with “Editor”" })).toBeVisible();
  await page.keyboard.press("1");
  await expect(page).toHaveURL(/\/$/);
  await page.keyboard.press("7");
  await expect(page).toHaveURL(/\/roles$/);
});

test("a role goes out as a file and comes in again", async ({ page }) => {
  await page.request.post("/api/roles", {
    data: { name: "Editor", prompt: "You edit.", id: "editor-to-go" },
  });
  await page.goto("/roles");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export “Editor” as a file" }).click(),
  ]);
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles(await download.path());
  await expect(page).toHaveURL(/\/roles\?id=editor-to-go-2$/);
  await expect(page.getByRole("textbox", { name: "What does it do, and what not?" })).toHaveValue(
    "You edit.",
  );
});

test("before a role is first asked, one reads that the model which comes along plays it poorly, and where a bigger one is chosen", async ({
  page,
}) => {
  await page.request.post("/api/roles", {
    data: { name: "Editor", prompt: "You edit.", id: "editor-small" },
  });
  const says = page.getByText("The small model that comes with this node is not good at roles");
  await page.goto("/?role=editor-small");
  await expect(page.getByText("You are talking to “Editor”.")).toBeVisible();
  await expect(says).toBeHidden();
  expect((await page.request.put("/api/models/active", { data: { kind: "bundled" } })).ok()).toBe(
    true,
  );
  try {
    await page.goto("/?role=editor-small");
    await expect(says).toBeVisible();
    await expectAccessible(page, "before a role is asked");
    await page.getByRole("link", { name: "Choose a bigger model" }).click();
    await expect(page).toHaveURL(/\/settings#model$/);
    await page.goto("/");
    await expect(page.getByRole("textbox", { name: "Your question" })).toBeVisible();
    await expect(says).toBeHidden();
  } finally {
    expect((await page.request.delete("/api/models/active")).ok()).toBe(true);
  }
});

test("on a telephone several are seated with the button in sight, and everyone can be asked without drawing the names aside", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const names = [
    "Coach",
    "Editor",
    "The patient reporter of the town paper",
    "A tutor at the bench",
  ];
  for (const [at, name] of names.entries())
    await page.request.post("/api/roles", {
      data: { name, prompt: "You ask.", id: `telephone-${at}` },
    });
  await page.goto("/roles");
  await page.getByRole("button", { name: "Talk with several" }).click();
  for (const name of names) await page.getByRole("checkbox", { name: `Add “${name}”` }).check();
  const begin = page.getByRole("button", { name: "Start the conversation" });
  const places = await page.getByRole("navigation", { name: "Main menu" }).boundingBox();
  const button = await begin.boundingBox();
  expect((button?.y ?? Infinity) + (button?.height ?? 0)).toBeLessThanOrEqual(places?.y ?? 0);
  await begin.click();
  const all = page.locator(".seats-ask label").filter({ hasText: "Everyone" });
  await expect(all).toBeInViewport({ ratio: 1 });
  const last = page.locator(".seats-ask label").last();
  await last.scrollIntoViewIfNeeded();
  await last.click();
  await expect(page.getByPlaceholder("Ask “A tutor at the bench”")).toBeVisible();
});

test("several roles sit in one conversation, take turns and see only what all of them may see", async ({
  page,
  chat,
}) => {
  test.slow();
  await page.request.post("/api/roles", {
    data: { name: "Coach", seal: "C", prompt: "You ask.", id: "coach-at-table" },
  });
  await page.request.post("/api/roles", {
    data: {
      name: "Editor",
      seal: "E",
      prompt: "You shorten.",
      id: "editor-at-table",
      sees: { kinds: ["pdf"] },
    },
  });
  await page.goto("/roles");
  await page.getByRole("button", { name: "Talk with several" }).click();
  const begin = page.getByRole("button", { name: "Start the conversation" });
  await page.getByRole("checkbox", { name: "Add “Coach”" }).check();
  await expect(begin).toBeDisabled();
  await page.getByRole("checkbox", { name: "Add “Editor”" }).check();
  await expect(page.getByText(/^Together they see \d+ of \d+ passages\.$/)).toBeVisible();
  await expectAccessible(page, "choosing several roles");
  await begin.click();
  await expect(page.getByText("Coach: 0 answers")).toBeVisible();

  await chat.ask(SAYS);
  await expect(page.getByText("Coach: 1 answer", { exact: true })).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole("radio", { name: "Next: Editor" })).toBeChecked();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(
    page.getByRole("article", { name: "Editor" }).getByText("Name the river first.").first(),
  ).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText("Editor: 1 answer", { exact: true })).toBeVisible();
  await expectAccessible(page, "a conversation with several roles");

  await page.getByRole("radio", { name: "Everyone" }).check({ force: true });
  await expect(page.getByPlaceholder("Ask everyone")).toBeVisible();
  await chat.ask(SAYS);
  await expect(page.getByText("Coach: 2 answers")).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText("Editor: 2 answers")).toBeVisible({ timeout: 20_000 });
  await page.reload();
  await expect(page.getByText("Editor: 2 answers")).toBeVisible();
  await expect(page.getByRole("link", { name: /^With Coach, Editor:/ })).toHaveAttribute(
    "aria-current",
    "true",
  );
});
