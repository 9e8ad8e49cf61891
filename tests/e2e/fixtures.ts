/**
 * Every test gets a signed-in page, and fails when the page complained: in its console, or because
 * the policy had to stop something.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test as base, type APIRequestContext, type Page } from "@playwright/test";
import { DIARY, KOBO, LEASE, LETTER, pdf } from "./life";
import { startNode, type RunningNode } from "./node";
import { Chat } from "./pages/chat";
import { Frame } from "./pages/frame";
import { Library } from "./pages/library";
import { MemoryPlace } from "./pages/memory";
import { SearchPlace } from "./pages/search";
import { Settings } from "./pages/settings";
import { Welcome } from "./pages/welcome";

interface PerTest {
  /** Complaints that a test expects: a refused answer shows in the console of every browser. */
  expected: RegExp[];
  frame: Frame;
  chat: Chat;
  library: Library;
  memory: MemoryPlace;
  search: SearchPlace;
  settings: Settings;
  welcome: Welcome;
}
interface PerWorker {
  /** A node with a name and a few documents, shared by the tests of a worker. */
  node: RunningNode;
  /** One where nothing was handed in, for those that ask for it. */
  empty: RunningNode;
}

const VIOLATION = "lpm-violation";

export const test = base.extend<PerTest, PerWorker>({
  node: [
    async ({ playwright }, use) => {
      const node = await startNode();
      const request = await playwright.request.newContext(node.signedIn);
      await live(request);
      await request.dispose();
      await use(node);
      await node.stop();
    },
    { scope: "worker", timeout: 150_000 },
  ],
  empty: [
    async ({}, use) => {
      const node = await startNode();
      await use(node);
      await node.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],
  baseURL: async ({ node }, use) => use(node.address),
  storageState: async ({ node }, use) => use(node.signedIn.storageState),
  expected: async ({}, use) => use([]),
  page: async ({ page, node, expected }, use, test) => {
    const complaints = watch(page);
    await use(page);
    const unexpected = (await complaints()).filter(
      (complaint) => !expected.some((pattern) => pattern.test(complaint)),
    );
    if (unexpected.length > 0 || test.status !== test.expectedStatus)
      cpSync(join(node.home, "logs"), test.outputPath("logs"), { recursive: true });
    expect(unexpected, "what the page complained about").toEqual([]);
  },
  frame: async ({ page }, use) => use(new Frame(page)),
  chat: async ({ page }, use) => use(new Chat(page)),
  library: async ({ page }, use) => use(new Library(page)),
  memory: async ({ page }, use) => use(new MemoryPlace(page)),
  search: async ({ page }, use) => use(new SearchPlace(page)),
  settings: async ({ page }, use) => use(new Settings(page)),
  welcome: async ({ page }, use) => use(new Welcome(page)),
});
export { expect };

/**
 * Note everything that the page says went wrong, and every step that the content security policy
 * stopped.
 */
export function watch(page: Page): () => Promise<readonly string[]> {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(`${error.name}: ${error.message}`));
  void page.addInitScript((key) => {
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error(`${key} ${event.violatedDirective} ${event.blockedURI}`),
    );
  }, VIOLATION);
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith("http") && hostname !== "127.0.0.1")
      complaints.push(`asked ${hostname}`);
  });
  return () => Promise.resolve(complaints);
}

/** Give the node a name and something to remember. */
async function live(request: APIRequestContext): Promise<void> {
  const who = await request.put("/api/identity", {
    data: {
      name: "Nagi Sorrel",
      introduction: "I restore violins in Kanazawa.",
      style: "",
      languages: ["en", "ja"],
    },
  });
  expect(who.ok()).toBe(true);
  const files = [
    ...[DIARY, LETTER, KOBO].map(({ name, text }) => ({
      name,
      mimeType: "text/plain",
      buffer: Buffer.from(text),
    })),
    { name: LEASE.name, mimeType: "application/pdf", buffer: pdf(LEASE.pages) },
  ];
  for (const file of files)
    expect((await request.post("/api/documents", { multipart: { file } })).status()).toBe(202);
  await expect
    .poll(
      async () =>
        ((await (await request.get("/api/documents?state=ready")).json()) as { items: unknown[] })
          .items.length,
      { timeout: 80_000 },
    )
    .toBe(files.length);
}

/**
 * Nothing that axe knows of stands in anybody's way, once what fades in has come to rest.
 *
 * Half faded in, a text has half its contrast: on a slow machine axe would judge a moment of it.
 * It runs in the page itself and gathers what is wrong alone: the rules are the same, and no screen
 * has frames for which axe would open a page of its own each time.
 */
export async function expectAccessible(page: Page, said = ""): Promise<void> {
  await page.evaluate(async () => {
    const moving = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    // One that is taken back ends too.
    await Promise.allSettled(moving.map(({ finished }) => finished));
  });
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ["violations"] })
    .analyze();
  expect(
    violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`,
    ),
    said,
  ).toEqual([]);
}

/** Look at the node in this light and language. */
export async function look(
  request: APIRequestContext,
  what: { language?: "system" | "en" | "ja"; theme?: "system" | "light" | "dark" },
): Promise<void> {
  const response = await request.put("/api/settings", {
    data: { language: "system", theme: "light", single_keys: true, ...what },
  });
  expect(response.ok()).toBe(true);
}
