/**
 * A node that was stopped: a page that is opened then says so itself, keeps nothing of what was
 * answered, and comes back with the node.
 */
import { test as base, expect } from "@playwright/test";
import { expectAccessible } from "./fixtures";
import { startNode } from "./node";

base.use({ serviceWorkers: "allow" });

base(
  "a page that is opened while nothing answers says what is safe and what to do",
  async ({ page }) => {
    const node = await startNode();
    await page.goto(node.login());
    await expect(page).toHaveURL(/\/welcome$/);
    await page.evaluate(() => navigator.serviceWorker.ready.then((known) => known.scope));
    await node.stop();
    await page.goto(`${node.address}/library`);
    await expect(page.getByRole("heading", { name: "The node is not responding." })).toBeVisible();
    await expect(page.getByText("記憶はディスクに無事に残っています。")).toBeVisible();
    await expectAccessible(page);
    expect(await page.evaluate(async () => (await caches.keys()).length)).toBe(0);
  },
);
