// Makes the pictures of docs/pictures from a running node: `node scripts/pictures.mjs $(lpm open)`.
// The node should hold the sample life; what is asked here is asked of it, and stands in its
// conversations afterwards. Of a node with a finished training the scorecard is taken too;
// `training` as a second word takes nothing else.
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";

const link = process.argv.slice(2).find((word) => word.startsWith("http://"));
if (!link) throw new Error("Give the login link that `lpm open` prints.");
const out = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "docs", "pictures");
const address = new URL(link).origin;
const ASKED = {
  en: ["When did I move the workshop?", "Who is the Kantor?"],
  ja: ["夏期講座の定員は何名ですか。"],
};

const browser = await chromium.launch({
  executablePath: process.env.LPM_CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
const door = await browser.newContext();
await (await door.newPage()).goto(link);
const storageState = await door.storageState();
await mkdir(out, { recursive: true });

async function page(language, theme, viewport) {
  const context = await browser.newContext({
    storageState,
    viewport,
    deviceScaleFactor: 2,
    locale: language === "ja" ? "ja-JP" : "en-GB",
  });
  await context.request.put(`${address}/api/settings`, {
    data: { language, theme, single_keys: true },
  });
  return context.newPage();
}

async function ask(on, questions) {
  await on.goto(address);
  for (const question of questions) {
    await on.getByRole("textbox", { name: /Your question|質問/ }).fill(question);
    await on.keyboard.press("Enter");
    await on
      .getByRole("article")
      .filter({ hasText: question })
      .getByRole("button", { name: /^(Copy|コピー)$/ })
      .waitFor({ timeout: 60_000 });
    await on.waitForTimeout(1_500);
  }
  await on.locator(".chat-scroll").evaluate((box) => box.scrollTo(0, 0));
}

const desk = { width: 1440, height: 900 };
const small = { width: 390, height: 844 };

/** A screen as it is, once it has come. */
async function shown(on, path, ready, name) {
  await on.goto(`${address}${path}`);
  await on.locator(ready).first().waitFor();
  await on.waitForTimeout(900);
  await on.screenshot({ path: join(out, name) });
}

/** What a question is answered with, and where it was found. */
async function answers() {
  const english = await page("en", "light", desk);
  await ask(english, ASKED.en);
  await english.locator("button.cite").last().click();
  await english.locator(".source mark").first().waitFor();
  await english.waitForTimeout(600);
  await english.screenshot({ path: join(out, "chat.png") });

  const japanese = await page("ja", "dark", desk);
  await ask(japanese, ASKED.ja);
  await japanese.locator("button.cite").first().hover();
  await japanese.waitForTimeout(600);
  await japanese.screenshot({ path: join(out, "chat-ja-dark.png") });

  const search = await page("en", "light", desk);
  await search.goto(`${address}/search?q=${encodeURIComponent("oil varnish or spirit varnish")}`);
  await search.locator(".hit").first().waitFor();
  await search.waitForTimeout(600);
  await search.screenshot({ path: join(out, "search.png") });

  const phone = await page("en", "light", small);
  await ask(phone, ASKED.en.slice(1));
  await phone.waitForTimeout(600);
  await phone.screenshot({ path: join(out, "chat-phone.png") });
}

/** What is there before anything is asked. */
async function screens() {
  const first = await page("en", "light", desk);
  await shown(first, "/welcome", ".proof", "first-use.png");
  await shown(first, "/library", ".doc", "library.png");
  await shown(first, "/memory", "main h1", "memory.png");
  const dark = await page("ja", "dark", desk);
  await shown(dark, "/memory", "main h1", "memory-ja-dark.png");
  await shown(dark, "/settings", "main h1", "settings-ja-dark.png");
  await shown(await page("en", "light", small), "/memory", "main h1", "memory-phone.png");
}

/** What the newest training was worth. */
async function training() {
  const runs = await (await door.request.get(`${address}/api/training/runs`)).json();
  if (!runs.items.some((run) => run.scorecard)) return;
  await shown(
    await page("en", "light", desk),
    "/training?view=scorecard",
    ".verdict-head",
    "training.png",
  );
  const dark = await page("ja", "dark", desk);
  await shown(dark, "/training?view=scorecard", ".verdict-head", "training-ja-dark.png");
}

if (!process.argv.includes("training")) {
  await answers();
  await screens();
}
await training();

await door.request.put(`${address}/api/settings`, {
  data: { language: "system", theme: "system", single_keys: true },
});
await browser.close();
