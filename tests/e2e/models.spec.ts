/** Models that are fetched, and another embedder that comes in while the one before serves. */
import { expect, expectAccessible, look, test } from "./fixtures";
import { embeddings, shelf, talker } from "./servers";

test.beforeEach(async ({ page, settings }) => {
  await look(page.request, { language: "en" });
  await settings.open();
});

test("the catalogue says how large each model is and under which licence", async ({
  settings,
  page,
}) => {
  const model = settings.section("Model");
  await expect(model.getByRole("heading", { name: "Models to download" })).toBeVisible();
  await expect(model.getByText(/about .*(Apache-2\.0|MIT)/).first()).toBeVisible();
  await expect(model.getByRole("button", { name: /^Download / }).first()).toBeEnabled();
  await expectAccessible(page);
});

test("an address leads to them, whatever comes in above", async ({ page }) => {
  await page.goto("/settings#models");
  const heading = page.getByRole("heading", { name: "Models to download" });
  await expect(heading).toBeInViewport();
  await expect(page.getByRole("heading", { name: "How it sounds" })).not.toBeInViewport();
});

test("a model from another address needs a yes, shows how far it is, is stopped, and goes on where it stood", async ({
  settings,
  page,
}) => {
  const server = await shelf("fetched.gguf", 12_000_000);
  const model = settings.section("Model");
  await model.getByText("Another address").click();
  await model.getByRole("textbox", { name: "Address" }).fill(server.url);
  const fetch = model.getByRole("button", { name: "Download", exact: true }).last();
  await expect(fetch).toBeDisabled();
  await model.getByRole("checkbox", { name: /stranger’s work/ }).check();
  await fetch.click();
  await expect(model.getByRole("progressbar").first()).toBeVisible();
  await model.getByRole("button", { name: "Cancel" }).click();
  await expect(model.getByRole("progressbar")).toHaveCount(0);
  server.hurry();
  await fetch.click();
  await page.reload();
  await model.getByRole("radio", { name: "A GGUF file on this machine" }).check();
  await expect
    .poll(
      async () =>
        (
          (await (await page.request.get("/api/models")).json()) as { items: { name: string }[] }
        ).items.some((each) => each.name === "fetched"),
      { timeout: 20_000 },
    )
    .toBe(true);
  server.stop();
});

test("a model that was chosen is taken back", async ({ settings, frame, page }) => {
  const server = await talker("One two three four five.");
  const model = settings.section("Model");
  await model.getByRole("radio", { name: "An OpenAI-compatible endpoint" }).check();
  await model.getByRole("textbox", { name: "Address" }).fill(server.url);
  await model.getByRole("button", { name: "Test the model" }).click();
  await expect(model.getByRole("button", { name: "Use this" })).toBeEnabled({ timeout: 15_000 });
  await model.getByRole("button", { name: "Use this" }).click();
  await expect(page.getByText("Model changed. Before: Scripted twin").first()).toBeVisible();
  await expect(model.getByText("Scripted twin")).toBeHidden();
  await frame.undo.first().click();
  await expect(model.getByText("Scripted twin", { exact: true })).toBeVisible();
  await expect(model.getByText("In use now.")).toBeHidden();
  server.stop();
});

test("an address without encryption is refused in words", async ({ settings, page, expected }) => {
  expected.push(/422/);
  const model = settings.section("Model");
  await model.getByText("Another address").click();
  await model.getByRole("textbox", { name: "Address" }).fill("http://models.example.org/a.gguf");
  await model.getByRole("checkbox", { name: /stranger’s work/ }).check();
  await model.getByRole("button", { name: "Download", exact: true }).last().click();
  await expect(model.getByText("The address is not encrypted")).toBeVisible();
  await expectAccessible(page);
});

test("another embedder is tried, embeds everything in the background, and then serves", async ({
  settings,
  page,
}) => {
  test.setTimeout(90_000);
  const server = await embeddings(250);
  const meaning = settings.section("Search by meaning");
  await expect(meaning.getByText("Hashing twin")).toBeVisible();
  await meaning.getByRole("radio", { name: "An OpenAI-compatible endpoint" }).check();
  await meaning.getByRole("textbox", { name: "Address" }).fill(server.url);
  await expect(meaning.getByRole("button", { name: "Use this" })).toBeDisabled();
  await meaning.getByRole("button", { name: "Test it" }).click();
  await expect(
    meaning.getByText(/gives 64 numbers a text, about [\d,.]+ sentences a second/),
  ).toBeVisible({ timeout: 15_000 });
  await meaning.getByRole("button", { name: "Use this" }).click();
  await expect(meaning.getByText(/tiny-embed: \d+ %/)).toBeVisible();
  await expect(meaning.getByText(/In use: tiny-embed/)).toBeVisible({ timeout: 30_000 });

  await meaning.getByRole("radio", { name: "None: search by words, names and dates" }).check();
  await meaning.getByRole("button", { name: "Test it" }).click();
  await meaning.getByRole("button", { name: "Use this" }).click();
  await expect(meaning.getByText(/In use: Words alone/)).toBeVisible({ timeout: 30_000 });
  const found = await page.request.post("/api/recall", { data: { query: "workshop" } });
  expect(((await found.json()) as { items: unknown[] }).items.length).toBeGreaterThan(0);
  server.stop();

  // The node is shared: the next test finds the embedder that it began with.
  await page.request.put("/api/embedders/active", { data: { kind: "hashing" } });
  const level = async (): Promise<string> =>
    (
      (await (await page.request.post("/api/recall", { data: { query: "workshop" } })).json()) as {
        level: string;
      }
    ).level;
  await expect.poll(level, { timeout: 30_000 }).toBe("words+vectors");
});

test("an embedder that does not answer is said in words and cannot be used", async ({
  settings,
}) => {
  const meaning = settings.section("Search by meaning");
  await meaning.getByRole("radio", { name: "An OpenAI-compatible endpoint" }).check();
  await meaning.getByRole("textbox", { name: "Address" }).fill("http://127.0.0.1:9/v1");
  await meaning.getByRole("button", { name: "Test it" }).click();
  await expect(meaning.getByText("cannot be reached")).toBeVisible({ timeout: 15_000 });
  await expect(meaning.getByRole("button", { name: "Use this" })).toBeDisabled();
});
