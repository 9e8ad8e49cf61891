// Draws the icons of an installed Second Me from public/icon.svg with the machine's own browser:
// `node scripts/icons.mjs`.
// A maskable icon has its drawing inside the middle four fifths, on the seal's colour to the edge.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), "public");
const svg = await readFile(join(folder, "icon.svg"), "utf8");
const SEAL = /fill="(#[0-9A-F]{6})"/.exec(svg)[1];
const WANTED = [
  ["icon-192.png", 192, 1, "transparent"],
  ["icon-512.png", 512, 1, "transparent"],
  ["icon-maskable-512.png", 512, 0.8, SEAL],
  ["apple-touch-icon.png", 180, 1, SEAL],
];

const browser = await chromium.launch({
  executablePath: process.env.LPM_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
for (const [name, side, share, ground] of WANTED) {
  const page = await browser.newPage({ viewport: { width: side, height: side } });
  await page.setContent(
    `<body style="margin:0;background:${ground};display:grid;place-items:center;height:100vh"><img style="width:${share * 100}%" src="data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}">`,
  );
  await page.locator("img").evaluate((image) => image.decode());
  await writeFile(join(folder, name), await page.screenshot({ omitBackground: true }));
  await page.close();
  console.log(`icons: ${name}, ${side} × ${side}`);
}
await browser.close();
