import { defineConfig } from "@playwright/test";

/** The browser of the machine; nothing is downloaded. */
const chromium = process.env["LPM_CHROMIUM"] ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "../tests/e2e",
  // One node at a time: the machine that runs this may be small.
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  // A second try, on a node of its own, tells what is broken from what a busy machine upset; it is
  // reported as flaky.
  retries: process.env["CI"] ? 1 : 0,
  timeout: 45_000,
  expect: { timeout: 8_000 },
  reporter: [
    ["list"],
    ["junit", { outputFile: process.env["LPM_E2E_JUNIT"] ?? "test-results/e2e.xml" }],
  ],
  outputDir: "test-results/e2e",
  use: {
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    timezoneId: "Asia/Tokyo",
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
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
