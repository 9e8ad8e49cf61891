// Says how soon the screens follow the hand: `node scripts/pace.mjs $(lpm open)`, best on a home
// with many documents. For each screen the longest time from an interaction to the next paint, how
// far things moved by themselves, and how long until it was there.
import { chromium } from "@playwright/test";

const link = process.argv.slice(2).find((word) => word.startsWith("http://"));
if (!link) throw new Error("Give the login link that `lpm open` prints.");
const address = new URL(link).origin;
const PAINT_MS = 100;
const SHIFT = 0.05;

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
const context = await browser.newContext({
  viewport: { width: 1440, height: 900 },
  locale: "en-GB",
});
await (await context.newPage()).goto(link);
await context.addInitScript(() => {
  window.pace = { paint: 0, what: "", shift: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.interactionId && entry.duration > window.pace.paint)
        Object.assign(window.pace, { paint: entry.duration, what: entry.name });
    }
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (!entry.hadRecentInput) window.pace.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
});

/** Keys that walk through a place, typed as fast as somebody types. */
const WALKS = [
  [
    "chat",
    "/",
    async (page) => {
      await page
        .getByRole("textbox", { name: /Your question/ })
        .pressSequentially("When did the van come to the workshop?", { delay: 40 });
    },
  ],
  [
    "library",
    "/library",
    async (page) => {
      const row = page
        .locator("main")
        .getByRole("link")
        .or(page.locator("main").getByRole("row"))
        .first();
      await row.waitFor();
      const find = page.getByRole("searchbox").or(page.getByRole("textbox")).first();
      await find.click();
      await find.pressSequentially("note 77", { delay: 60 });
      await page.waitForTimeout(800);
      await find.fill("");
      await page.keyboard.press("Escape");
      await page.locator("body").click({ position: { x: 700, y: 10 } });
      for (let n = 0; n < 30; n++) await page.keyboard.press("j", { delay: 15 });
      await page.keyboard.press("Enter");
      await page.waitForTimeout(800);
      await page.mouse.move(600, 600);
      for (let n = 0; n < 20; n++) await page.mouse.wheel(0, 900);
    },
  ],
  [
    "search",
    "/search",
    async (page) => {
      const field = page.getByRole("searchbox").or(page.getByRole("textbox")).first();
      await field.click();
      await field.pressSequentially("the cello in the long room", { delay: 60 });
      await page.waitForTimeout(1_000);
      for (let n = 0; n < 10; n++) await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
    },
  ],
  [
    "settings",
    "/settings",
    async (page) => {
      for (let n = 0; n < 40; n++) await page.keyboard.press("Tab");
    },
  ],
];

let late = false;
for (const [name, path, walk] of WALKS) {
  const page = await context.newPage();
  const began = Date.now();
  await page.goto(address + path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const there = Date.now() - began;
  await walk(page);
  await page.waitForTimeout(1_000);
  const { paint, what, shift } = await page.evaluate(() => window.pace);
  console.log(
    `${name.padEnd(10)} there after ${String(there).padStart(5)} ms   next paint ${String(Math.round(paint)).padStart(4)} ms ${what.padEnd(12)} moved ${shift.toFixed(3)}`,
  );
  late ||= paint > PAINT_MS || shift > SHIFT;
  await page.close();
}
await browser.close();
process.exitCode = late ? 1 : 0;
