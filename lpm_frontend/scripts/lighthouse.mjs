// Measures accessibility and best practices of every screen with Lighthouse, against a node that
// runs: `npm run lighthouse -- $(lpm open)`, or without a link against the node that `lpm open`
// names. Says each number, and fails below the limits.
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import lighthouse from "lighthouse";

const LIMITS = { accessibility: 0.98, "best-practices": 0.95 };
const SCREENS = ["/", "/search?q=workshop", "/memory", "/library", "/settings", "/welcome"];
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const lpm = process.env.LPM_COMMAND ?? join(root, ".venv", "bin", "lpm");
const link =
  process.argv.slice(2).find((word) => word.startsWith("http://")) ??
  /http:\/\/\S+/.exec(
    execFileSync(lpm, ["open"], { env: { ...process.env, LPM_OPEN: "0" } }).toString(),
  )?.[0];
if (!link) throw new Error("No node is running. Start one with `lpm start`.");
const address = new URL(link).origin;
const port = 9222 + (process.pid % 1000);

const browser = await chromium.launchPersistentContext("", {
  executablePath: process.env.LPM_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", `--remote-debugging-port=${port}`],
});
await (await browser.newPage()).goto(link);
let short = 0;
for (const screen of SCREENS) {
  for (const formFactor of ["desktop", "mobile"]) {
    const screenEmulation =
      formFactor === "desktop"
        ? { mobile: false, width: 1440, height: 900, deviceScaleFactor: 1 }
        : { mobile: true, width: 390, height: 844, deviceScaleFactor: 2 };
    const result = await lighthouse(`${address}${screen}`, {
      port,
      output: "json",
      logLevel: "error",
      onlyCategories: Object.keys(LIMITS),
      formFactor,
      screenEmulation: { ...screenEmulation, disabled: false },
      throttlingMethod: "provided",
      disableStorageReset: true,
    });
    const { categories, audits } = result.lhr;
    const scores = Object.entries(LIMITS).map(([name, least]) => {
      const { score } = categories[name];
      if (score === null || score < least) short += 1;
      return `${name} ${score === null ? "–" : score.toFixed(2)}`;
    });
    const failing = Object.values(categories).flatMap(({ auditRefs }) =>
      auditRefs
        .filter(({ id, weight }) => weight > 0 && audits[id].score !== null && audits[id].score < 1)
        .map(({ id }) => id),
    );
    console.log(
      `${screen.padEnd(20)} ${formFactor.padEnd(8)} ${scores.join("   ")}${failing.length > 0 ? `   (${failing.join(", ")})` : ""}`,
    );
  }
}
await browser.close();
if (short > 0) {
  console.error(`${short} below the limits: ${JSON.stringify(LIMITS)}`);
  process.exitCode = 1;
}
