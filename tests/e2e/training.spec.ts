/**
 * A training from the first sentence to the way back: prepared, read and struck, learned, examined,
 * used, followed to its statements.
 */
import type { APIRequestContext } from "@playwright/test";
import { expect, expectAccessible, look, test as base } from "./fixtures";
import { SCRIPT, startNode, type RunningNode } from "./node";

const KEPT = [
  "W @Mai: moved to Kobe in spring",
  "B I took over the workshop from Mr Ide in Teramachi",
  "O(c=0.9) @Peter: prefers short replies",
  "W @Kuri: turned five and ate the candle",
  "B I varnish in June and string in September",
];

/** A node whose model answers at once, as an examination asks many questions. */
const test = base.extend<object, { node: RunningNode }>({
  node: [
    async ({ playwright }, use) => {
      const node = await startNode({ ...SCRIPT, pause: 0 });
      const request = await playwright.request.newContext(node.signedIn);
      expect((await request.put("/api/identity", { data: { name: "Nagi Sorrel" } })).ok()).toBe(
        true,
      );
      await request.dispose();
      await use(node);
      await node.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],
});
interface Run {
  readonly id: string;
  readonly state: string;
  readonly in_use: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
}
async function newest(request: APIRequestContext): Promise<Run> {
  const { items } = (await (await request.get("/api/training/runs")).json()) as { items: Run[] };
  const [run] = items;
  if (!run) throw new Error("there is no training");
  return run;
}

test.describe.configure({ mode: "serial" });
test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

test("without statements it says how to keep some", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("4");
  await expect(page.getByRole("heading", { level: 1, name: "Training" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "There is too little to learn." })).toBeVisible();
  await expectAccessible(page);
  // what comes every week can be switched off here, too
  await expect(page.getByRole("region", { name: "Every week" })).toBeVisible();
  for (const view of ["scorecard", "versions", "inside"]) {
    await page.goto(`/training?view=${view}`);
    await expect(
      page.getByRole("heading", { name: "Nothing has been trained yet." }),
    ).toBeVisible();
  }
});

test("what was written can be learned, besides what was kept", async ({ page }) => {
  const added = await page.request.post("/api/documents", {
    multipart: {
      file: {
        name: "workshop.md",
        mimeType: "text/markdown",
        buffer: Buffer.from(
          "I sold my cello to Haru Tanabe in May 2019 for 9000 yen.\n\nMy sister Yuka lives in Kanazawa with her two sons.\n\nI took over the workshop from Mr Ide in Teramachi in April 2024.\n",
        ),
      },
    },
  });
  expect(added.ok()).toBe(true);
  await expect
    .poll(
      async () =>
        (
          (await (await page.request.get("/api/training/documents")).json()) as {
            statements: number;
          }
        ).statements,
      { timeout: 20_000 },
    )
    .toBe(3);
  await page.goto("/training");
  await page.getByRole("checkbox", { name: "Also learn from what I wrote" }).check();
  await expect(page.getByText("3 sentences in 1 document.")).toBeVisible();
  await expect(page.getByText("and 3 sentences that you wrote")).toBeVisible();
  await page.getByText("Choose documents").click();
  await expectAccessible(page, "written");
  await page.getByRole("checkbox", { name: "workshop" }).uncheck();
  await expect(page.getByRole("heading", { name: "There is too little to learn." })).toBeVisible();
  await page.getByRole("checkbox", { name: "workshop" }).check();
  await page.getByRole("button", { name: "Prepare" }).click();
  await expect(page.getByRole("heading", { name: "Training 1 is prepared" })).toBeVisible();
  await page.getByText(/^What it will learn: \d+ rows$/).click();
  await page.getByRole("searchbox", { name: "Search the rows" }).fill("cello");
  await expect(
    page.getByRole("list", { name: "Rows" }).getByRole("listitem").first(),
  ).toContainText("cello");
  const { id } = await newest(page.request);
  expect((await page.request.delete(`/api/training/runs/${id}`)).ok()).toBe(true);
});

test("it is prepared, read, struck, learned, examined, used all the same, and taken back", async ({
  page,
  frame,
  chat,
}) => {
  test.setTimeout(180_000);
  for (const line of KEPT)
    expect((await page.request.post("/api/memories", { data: { line } })).status()).toBe(202);
  await expect
    .poll(
      async () =>
        ((await (await page.request.get("/api/training")).json()) as { memories: number }).memories,
      { timeout: 20_000 },
    )
    .toBe(KEPT.length);

  await page.goto("/training");
  await expect(page.getByText(`It would learn ${KEPT.length} memories.`)).toBeVisible();
  await page.getByText("All settings").click();
  const epochs = page.getByRole("textbox", { name: "Epochs", exact: true });
  await epochs.fill("two");
  await expect(epochs).toHaveAccessibleDescription(/^This is not a number\./);
  await expect(page.getByText("Not a number: Epochs")).toBeVisible();
  await expect(page.getByRole("button", { name: "Prepare" })).toBeDisabled();
  await expectAccessible(page, "no number");
  await epochs.fill("２");
  await page.getByRole("textbox", { name: "Dropout", exact: true }).fill("0,05");
  await expect(page.getByText("2 changed")).toBeVisible();
  await expectAccessible(page, "before");
  await page.getByRole("button", { name: "Prepare" }).click();

  await expect(page.getByRole("heading", { name: "Training 1 is prepared" })).toBeVisible();
  const prepared = await newest(page.request);
  expect(prepared.settings).toMatchObject({ epochs: 2, dropout: 0.05 });
  await expect(page.getByText(/^About .* of memory, nothing sent\.$/)).toBeVisible({
    timeout: 20_000,
  });
  await page.getByText(/^What it will learn: \d+ rows$/).click();
  const rows = page.getByRole("list", { name: "Rows" }).getByRole("listitem");
  await page.getByRole("searchbox", { name: "Search the rows" }).fill("candle");
  await expect(rows.first()).toContainText("candle");
  await rows
    .first()
    .getByRole("button", { name: /^Remove:/ })
    .click();
  await expect(rows.first().getByRole("button", { name: /^Restore:/ })).toBeVisible();
  await expect(page.locator(".spine").getByText("Removed a row")).toBeVisible();
  await page.locator(".spine").getByRole("button", { name: "Undo" }).click();
  await expect(rows.first().getByRole("button", { name: /^Remove:/ })).toBeVisible();
  await page.getByRole("textbox", { name: "Question" }).fill("Who keeps the key of the workshop?");
  await page
    .getByRole("textbox", { name: "Answer, in your words" })
    .fill("Mai keeps the second key.");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("searchbox", { name: "Search the rows" }).fill("second key");
  await expect(rows.first()).toContainText("by you");
  // What was measured stays, marked as from before.
  await expect(page.getByText(/That was with \d+ rows, before you changed them\./)).toBeVisible();
  await page.getByRole("button", { name: "Measure again" }).click();
  await expect(page.getByText(/That was with/)).toBeHidden({ timeout: 20_000 });
  const pairs = page.getByText(/^Which answers are better: \d+ pairs?$/);
  await pairs.click();
  await expect(page.getByText(/^This training does not learn them\./)).toBeVisible();
  const own = page.getByRole("form", { name: "Add your own pair" });
  await own.getByRole("textbox", { name: "Question" }).fill("How is the candle?");
  await own.getByRole("textbox", { name: "The answer you prefer" }).fill("Eaten.");
  await expect(own.getByRole("button", { name: "Add" })).toBeDisabled();
  await own
    .getByRole("textbox", { name: "An answer you would not give" })
    .fill("It burns with a steady flame.");
  await own.getByRole("button", { name: "Add" }).click();
  await expect(own.getByRole("textbox", { name: "Question" })).toHaveValue("");
  await page.getByRole("searchbox", { name: "Search the pairs" }).fill("steady flame");
  const listed = page.getByRole("list", { name: "Pairs" }).getByRole("listitem");
  await expect(listed.first()).toContainText("Eaten.");
  await expectAccessible(page, "prepared");
  await pairs.click();

  await page.getByRole("button", { name: "Start training", exact: true }).click();
  await expect(page.getByRole("list", { name: "Progress" }).getByRole("listitem")).toHaveCount(5);
  await expect(page.getByRole("heading", { name: "Training 1 has been examined" })).toBeVisible({
    timeout: 120_000,
  });
  await expect(page.getByText(/^It began at [\d.]+ and is at [\d.]+ now\.$/)).toBeVisible();
  await page.getByText("As a table").click();
  await expect(
    page.getByRole("table", { name: "How wrong it still is (loss)" }).getByRole("row").nth(1),
  ).toBeVisible();
  await expect(page.getByRole("region", { name: "Answers before and now" })).toContainText(
    "I have learned it.",
  );
  await expectAccessible(page, "after");

  await page.getByRole("link", { name: "See what changed" }).click();
  await expect(
    page
      .getByRole("table", { name: "What changed" })
      .getByRole("rowheader", { name: /^Remembers your life/ }),
  ).toBeVisible();
  await expect(
    page
      .getByRole("table", { name: "What changed" })
      .getByRole("rowheader", { name: /^Picks what is true/ }),
  ).toBeVisible();
  const byArm = page.getByRole("region", { name: "By who was asked" });
  const remembers = byArm.getByRole("table", { name: /^Remembers your life/ });
  await expect(remembers.getByRole("rowheader")).toHaveCount(4);
  await expect(byArm.getByRole("table", { name: /^Judges a draft/ })).toBeVisible();
  const saved = page.waitForEvent("download");
  await byArm.getByRole("link", { name: "Save as Markdown" }).click();
  expect((await saved).suggestedFilename()).toBe("scorecard-1.md");
  await expectAccessible(page, "scorecard");
  // The twin learns nothing, so it cannot be better.
  await page.getByRole("button", { name: "Use it anyway" }).click();
  await expect(
    page.getByText("In use because you chose it, although it is not better."),
  ).toBeVisible();
  await expect(frame.undo).toBeVisible();

  await page.getByRole("textbox", { name: "Question" }).fill("Who ate the candle?");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  const four = page.getByRole("region", { name: "Ask it yourself" });
  await expect(four.locator(".preview-said")).toHaveCount(4, { timeout: 30_000 });
  await expect(four.getByText("training 1")).toHaveCount(2);

  // In a conversation the base model answers beside it.
  await page.goto("/");
  await page.getByRole("group", { name: "Answered by" }).getByText("Both").click();
  await chat.ask("When does one varnish?");
  const base = chat.last.getByRole("region", { name: "Base model" });
  const self = chat.last.getByRole("region", { name: "As you" });
  await expect(self).toContainText("training 1", { timeout: 20_000 });
  await expect(base).toContainText("varnish");
  await expect(base).not.toContainText("training 1");
  await expectAccessible(page, "both");
  await chat.last.getByRole("button", { name: "One at a time" }).click();
  await expect(base).toBeHidden();
  await expect(chat.last).toContainText("training 1");
  // An answer that stands alone is compared afterwards, and stays the one that is shown.
  await page.getByRole("group", { name: "Answered by" }).getByText("As you").click();
  await chat.ask("Who turned five?");
  await chat.answered();
  await chat.last.getByRole("button", { name: "Compare with the base model" }).click();
  await expect(base).toContainText("Kuri", { timeout: 20_000 });
  await expect(chat.last.getByText("1/2")).toBeVisible({ timeout: 20_000 });
  await expect(self).toContainText("training 1");

  await page.goto("/training");
  await page
    .getByRole("navigation", { name: "Views" })
    .getByRole("link", { name: "Versions" })
    .click();
  const versions = page.getByRole("list", { name: "Trainings" }).getByRole("listitem");
  await expect(versions.filter({ hasText: "Training 1" })).toContainText("in use");
  await versions
    .filter({ hasText: "Training 1" })
    .getByRole("button", { name: "Switch back" })
    .click();
  await expect(versions.filter({ hasText: "The base model" })).toContainText("in use");
  await expectAccessible(page, "versions");

  await versions
    .filter({ hasText: "Training 1" })
    .getByRole("button", { name: /^Export/ })
    .click();
  const exporting = page.getByRole("group", { name: "Training 1 as a model of its own" });
  await expect(exporting.getByRole("button", { name: "Close" })).toBeFocused();
  await expectAccessible(page, "export");
  await exporting.getByRole("button", { name: "Write training 1 as q8_0" }).click();
  const link = exporting.getByRole("link", { name: /^Download/ });
  await expect(link).toBeVisible({ timeout: 30_000 });
  const [file] = await Promise.all([page.waitForEvent("download"), link.click()]);
  expect(file.suggestedFilename()).toBe("second-me-1-q8_0.gguf");
  await expectAccessible(page, "exported");
  await exporting.getByRole("button", { name: "Delete q8_0 of training 1" }).click();
  await expect(link).toBeHidden();
});

test("its statements lead to Memory, and a statement to the trainings that know it", async ({
  page,
  memory,
}) => {
  await page.goto("/training?view=inside");
  const learned = page.getByRole("list", { name: "Memories it learned" });
  await expect(learned.getByRole("listitem")).toHaveCount(KEPT.length);
  const ways = page.getByRole("region", { name: "Which trainings know this?" });
  await ways.getByRole("searchbox").fill("candle");
  await ways.getByRole("button", { name: /candle/ }).click();
  await expect(ways.getByRole("link", { name: "Training 1" })).toBeVisible();
  await expectAccessible(page, "inside");
  await learned.getByRole("link", { name: /candle/ }).click();
  await expect(memory.one.getByRole("link", { name: "Training 1" })).toBeVisible();
});

test("a training that was stopped is discarded, and another can be prepared", async ({ page }) => {
  await page.goto("/training?view=now");
  await page.getByText("All settings").click();
  await page.getByRole("textbox", { name: "Steps", exact: true }).fill("20000");
  await page.getByRole("button", { name: "Prepare" }).click();
  await expect(page.getByRole("heading", { name: "Training 2 is prepared" })).toBeVisible();
  await page.getByRole("button", { name: "Start training", exact: true }).click();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Training 2 has stopped" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Continue" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Every week" })).toBeVisible();
  await page.getByRole("button", { name: /^Discard/ }).click();
  await expect(page.getByRole("button", { name: "Keep it" })).toBeFocused();
  await expectAccessible(page, "discarding");
  await page.getByRole("button", { name: "Delete for good" }).click();
  await expect(page.getByText(`It would learn ${KEPT.length} memories.`)).toBeVisible();
  await expect(page.getByRole("button", { name: "Prepare" })).toBeVisible();
});

test("Undo takes the training into use again that was in use before", async ({ page, frame }) => {
  test.setTimeout(180_000);
  const data = { epochs: 1, questions: 4, exam_questions: 5 };
  expect((await page.request.post("/api/training/runs", { data })).status()).toBe(202);
  await expect
    .poll(async () => (await newest(page.request)).state, { timeout: 120_000 })
    .toBe("ready");
  const { id } = await newest(page.request);
  const promoted = await page.request.post(`/api/training/runs/${id}/promote`, {
    data: { insist: true },
  });
  expect(promoted.ok()).toBe(true);

  await page.goto("/training?view=versions");
  const versions = page.getByRole("list", { name: "Trainings" }).getByRole("listitem");
  const [newer, older] = [versions.nth(0), versions.nth(1)];
  await expect(newer).toContainText("in use");
  // The base was in use before the older one was for the first time.
  await older.getByRole("button", { name: "Use training 1" }).click();
  await expect(older).toContainText("in use");
  await frame.undo.click();
  await expect(newer).toContainText("in use");
  await expect(older).not.toContainText("in use");

  expect((await page.request.post(`/api/training/runs/${id}/rollback`)).ok()).toBe(true);
  expect((await page.request.delete(`/api/training/runs/${id}`)).ok()).toBe(true);
});

test("deleting a training is asked twice", async ({ page }) => {
  await page.goto("/training?view=versions");
  await page.getByRole("button", { name: /^Delete/ }).click();
  await expect(page.getByRole("button", { name: "Keep it" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("button", { name: "Delete for good" }).click();
  await expect(page.getByRole("heading", { name: "Nothing has been trained yet." })).toBeVisible();
});

test("a week is switched on and has a day; why nothing can be learned now is said", async ({
  page,
}) => {
  await page.goto("/training?view=now");
  const weekly = page.getByRole("region", { name: "Every week" });
  await expect(weekly.getByRole("button", { name: "Learn what is new now" })).toBeDisabled();
  await expect(weekly).toContainText("Use a training first");
  await weekly.getByRole("checkbox").check();
  await weekly.getByRole("combobox").selectOption({ label: "Saturday" });
  await expect(weekly).toContainText("Next on");
  await page.reload();
  await expect(weekly.getByRole("checkbox")).toBeChecked();
  await expect(weekly.getByRole("combobox")).toHaveValue("saturday");
  await expectAccessible(page, "weekly");
  await weekly.getByRole("checkbox").uncheck();
  await expect(weekly.getByRole("combobox")).toBeDisabled();
  await expect(weekly).not.toContainText("Next on");
});
