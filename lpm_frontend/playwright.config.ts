import { defineConfig } from "@playwright/test";

/** The browser of the machine; nothing is downloaded. */
const chromium = process.env["LPM_CHROMIUM"] ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "../tests/e2e",
  // Each worker has a node of its own, and what a test changes there the next ones meet.
  workers: Number(process.env["LPM_WORKERS"] ?? 2),
  fullyParallel: false,
  forbidOnly: true,
  timeout: 60_000,
  // Longer than a busy machine stands still, and shorter than the 15 seconds after which a screen
  // asks again by itself: what did not refresh at once is still found.
  expect: { timeout: 13_000 },
  reporter: [
    ["list"],
    ["junit", { outputFile: process.env["LPM_E2E_JUNIT"] ?? "test-results/e2e.xml" }],
  ],
  outputDir: "test-results/e2e",
  use: {
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    timezoneId: "Asia/Tokyo",
    // What a worker hands on is not intercepted: a test that cuts the network must meet every call.
    serviceWorkers: "block",
    screenshot: "only-on-failure",
    // A picture and the node's logs stay of what fails; `--trace on` shows each step of it.
    trace: "off",
    launchOptions: {
      executablePath: chromium,
      args: [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
