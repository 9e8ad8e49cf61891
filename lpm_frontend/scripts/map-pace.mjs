// Says how smoothly the map follows the hand: `node scripts/map-pace.mjs $(lpm open) [names]
// [edges]`, 5,000 and 15,000 unless told otherwise. The map is made up here and given to the screen
// in the place of the node's; Chromium draws it without a graphics card, pulled about and then
// zoomed.
import { loadavg } from "node:os";
import { chromium } from "@playwright/test";

const words = process.argv.slice(2);
const link = words.find((word) => word.startsWith("http://"));
if (!link) throw new Error("Give the login link that `lpm open` prints.");
const [names = 5_000, pairs = 15_000] = words.filter((word) => /^\d+$/.test(word)).map(Number);
const address = new URL(link).origin;
const PULLED_MS = 5_000;
const GROUPS = 40;
const LEAST = 30;

/** The same map each time: groups of names near each other, most edges within a group. */
function madeUp() {
  let seed = 7;
  const dice = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const middles = Array.from({ length: GROUPS }, () => [dice(), dice()]);
  const nodes = Array.from({ length: names }, (_, at) => {
    const [x, y] = middles[at % GROUPS];
    return {
      id: `n${at}`,
      name: `Name ${at}`,
      kind: ["person", "place", "thing", "idea"][at % 4],
      x: x + (dice() - 0.5) * 0.15,
      y: y + (dice() - 0.5) * 0.15,
      size: 1 + Math.floor(200 * dice() ** 6),
      community: `c${at % GROUPS}`,
      first: "2015-01-01T00:00:00Z",
      last: "2025-01-01T00:00:00Z",
      self: false,
    };
  });
  const edges = Array.from({ length: pairs }, () => {
    const from = Math.floor(dice() * names);
    const to =
      dice() < 0.8
        ? (from + GROUPS * (1 + Math.floor(dice() * 20))) % names
        : Math.floor(dice() * names);
    return {
      source: `n${from}`,
      target: `n${to}`,
      weight: dice(),
      first: null,
      last: null,
      private: false,
    };
  });
  const communities = middles.map((_, at) => {
    const members = nodes.filter(({ community }) => community === `c${at}`).map(({ id }) => id);
    return { id: `c${at}`, title: `Group ${at}`, size: members.length, report: [], members };
  });
  return { state: "fresh", made_at: "2025-01-01T00:00:00Z", nodes, edges, communities };
}

const browser = await chromium.launch({
  executablePath: process.env.LPM_CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--headless",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
const page = await (
  await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB" })
).newPage();
await page.goto(link);
await page.route(/\/api\/graph(\?|$)/, (route) => route.fulfill({ json: madeUp() }));
await page.goto(`${address}/memory?view=map`);
await page.locator(".map-stage .sigma-mouse").waitFor();
await page.waitForTimeout(3_000);
const box = await page.locator(".map-stage").boundingBox();
const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];

/** How long the frames took while the hand did this. */
async function paced(name, hand) {
  const load = loadavg()[0].toFixed(2);
  await page.evaluate(() => {
    window.frames_ = [];
    const tick = (now) => {
      window.frames_.push(now);
      window.tick_ = requestAnimationFrame(tick);
    };
    window.tick_ = requestAnimationFrame(tick);
  });
  const until = Date.now() + PULLED_MS;
  for (let step = 0; Date.now() < until; step++) {
    await hand(step);
    await page.waitForTimeout(8);
  }
  const times = await page.evaluate(() => {
    cancelAnimationFrame(window.tick_);
    return window.frames_;
  });
  const gaps = times
    .slice(1)
    .map((time, at) => time - times[at])
    .sort((a, b) => a - b);
  const rate = (1_000 * gaps.length) / gaps.reduce((a, b) => a + b, 0);
  const at = (share) =>
    gaps[Math.min(gaps.length - 1, Math.floor(gaps.length * share))].toFixed(0).padStart(5);
  console.log(
    `${name.padEnd(6)} ${names} names, ${pairs} edges: ${rate.toFixed(1).padStart(5)} frames a second   half within ${at(0.5)} ms   19 of 20 within ${at(0.95)} ms   longest ${at(1)} ms   load ${load}`,
  );
  return rate;
}

await page.mouse.move(x, y);
await page.mouse.down();
const pulled = await paced("pulled", (step) =>
  page.mouse.move(x + 120 * Math.sin(step / 9), y + 80 * Math.cos(step / 9)),
);
await page.mouse.up();
await page.waitForTimeout(1_500);
const zoomed = await paced("zoomed", (step) => page.mouse.wheel(0, step % 80 < 40 ? -60 : 60));
await browser.close();
process.exitCode = Math.min(pulled, zoomed) < LEAST ? 1 : 0;
