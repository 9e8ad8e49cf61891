/**
 * The picture of every face: each screen, loading, empty, failed and ready, in both lights and
 * languages, at a desk and on a phone.
 * Nothing is in anybody's way, nothing jumps, nothing is wider than its window, and on a Japanese
 * screen nothing is left in English.
 *
 * A part of it runs with the other tests; `make pictures` (LPM_PICTURES=all) makes all of them, in
 * lpm_frontend/test-results/pictures.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { APIRequestContext } from "@playwright/test";
import { expect, expectAccessible, look, test } from "./fixtures";
import {
  FACES,
  latinOnly,
  loading,
  putOn,
  SCREENS,
  shifted,
  watchShifts,
  type Face,
  type Screen,
} from "./faces";

const ALL = process.env["LPM_PICTURES"] === "all" || process.env["LPM_FULL"] === "1";
const FOLDER = join(__dirname, "..", "..", "lpm_frontend", "test-results", "pictures");
const MOST_SHIFT = 0.05;
const WAYS = ALL
  ? (["en", "ja"] as const).flatMap((language) =>
      (["light", "dark"] as const).flatMap((theme) =>
        [1440, 390].map((width) => ({ language, theme, width })),
      ),
    )
  : [{ language: "ja" as const, theme: "dark" as const, width: 390 }];
/** What is called so in every language. */
const NAMES =
  /^(Second Me( [\d.]+)?|English|GGUF|OpenAI.*|Ctrl.*|Enter|Esc|PDF|Word|[\d.,]+ ?[kMG]?B)$/;

/**
 * Everything that the node gives out by name, for telling a name from a sentence that was not
 * translated.
 */
async function names(request: APIRequestContext, conversation: string): Promise<string> {
  const paths = [
    `conversations/${conversation}`,
    "documents",
    "identity",
    "models",
    "embedders",
    "status",
    "conversations",
    "backups",
    "audit",
    "findings?limit=50",
    "questions",
    "jobs",
    "memories",
    "core/proposals",
    "disagreements",
    "biography",
    "opinions",
  ];
  return (
    await Promise.all(paths.map(async (path) => (await request.get(`/api/${path}`)).text()))
  ).join("\n");
}

/** Statements of every kind. */
const RETAINED = [
  "W @Mai: moved to Kobe in spring",
  "B I took over the workshop from @[Mr Ide].",
  "O(c=0.9) @Peter: prefers short replies",
  "S Mornings are for the bench.",
];

async function ids(
  request: APIRequestContext,
): Promise<{ document: string; conversation: string; memory: string }> {
  const kept = (await (await request.get("/api/memories")).json()) as { items: { id: string }[] };
  if (kept.items.length < RETAINED.length)
    for (const line of RETAINED)
      expect((await request.post("/api/memories", { data: { line } })).status()).toBe(202);
  await expect
    .poll(
      async () =>
        ((await (await request.get("/api/memories")).json()) as { items: unknown[] }).items.length,
      { timeout: 20_000 },
    )
    .toBeGreaterThanOrEqual(RETAINED.length);
  const memory =
    ((await (await request.get("/api/memories")).json()) as { items: { id: string }[] }).items[0]
      ?.id ?? "";

  const documents = (await (await request.get("/api/documents")).json()) as {
    items: { id: string }[];
  };
  const known = (await (await request.get("/api/conversations")).json()) as {
    items: { id: string }[];
  };
  const made =
    known.items[0]?.id ??
    (
      (await (await request.post("/api/conversations", { data: { title: "" } })).json()) as {
        id: string;
      }
    ).id;
  if (known.items.length === 0)
    await request.post(`/api/conversations/${made}/turns`, {
      data: { text: "When did I move the workshop to Teramachi?" },
    });
  return { document: documents.items[0]?.id ?? "", conversation: made, memory };
}

/** In `make test` a screen is seen ready and with one more face; the next screen has another. */
function facesOf(screen: Screen, at: number): readonly Face[] {
  const all = FACES.filter((face) => !screen.without?.includes(face));
  const others = all.filter((face) => face !== "ready");
  return ALL ? all : all.filter((face) => face === "ready" || face === others[at % others.length]);
}

// Either worker takes the next one: none is left alone with the rest.
test.describe.configure({ mode: "parallel" });

for (const [at, screen] of SCREENS.entries()) {
  test(`every face: ${screen.name}`, async ({ page, browser, node, empty, expected }) => {
    test.setTimeout(60_000 + WAYS.length * 60_000);
    expected.push(/404|ERR_CONNECTION_REFUSED|Failed to load resource/);
    mkdirSync(FOLDER, { recursive: true });
    const bare = await browser.newContext(empty.signedIn);
    try {
      const nobody = await bare.newPage();
      await bare.request.put("/api/identity", { data: { name: "Nagi Sorrel" } });
      const { document, conversation, memory } = await ids(page.request);
      const known = await names(page.request, conversation);
      const path = screen.path
        .replace("DOCUMENT", document)
        .replace("CONVERSATION", conversation)
        .replace("MEMORY", memory);
      for (const each of [page, nobody]) watchShifts(each);
      for (const { language, theme, width } of WAYS) {
        await look(bare.request, { language, theme });
        await look(page.request, { language, theme });
        for (const face of facesOf(screen, at)) {
          const on = face === "empty" ? nobody : page;
          const said = `${screen.name}, ${face}, in ${language}, ${theme}, at ${width}`;
          await on.setViewportSize({ width, height: 900 });
          await putOn(on, face, screen);
          await on.goto(path);
          await expect(on.getByRole("heading", { level: 1 }).first(), said).toBeVisible();
          await expect(on.locator("html")).toHaveAttribute("lang", language);
          await settled(on, face, said);
          expect(
            await on.evaluate(() => window.document.documentElement.scrollWidth),
            `${said} is wider than its window`,
          ).toBeLessThanOrEqual(width);
          expect.soft(await shifted(on), `${said} jumps`).toBeLessThanOrEqual(MOST_SHIFT);
          await expectAccessible(on, said);
          if (language === "ja")
            expect
              .soft(
                (await latinOnly(on)).filter(
                  (words) =>
                    !NAMES.test(words) &&
                    !words
                      .split(" · ")
                      .every((each) => known.includes(each.replaceAll('"', '\\"'))) &&
                    !node.address.includes(words),
                ),
                `${said} says in English`,
              )
              .toEqual([]);
          await on.screenshot({
            path: join(
              FOLDER,
              `${screen.name.replace(" ", "-")}.${face}.${language}.${theme}.${width}.png`,
            ),
          });
        }
      }
    } finally {
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await bare.close();
    }
  });
}

/** Wait for the face that was called up. */
async function settled(
  page: import("@playwright/test").Page,
  face: Face,
  said: string,
): Promise<void> {
  if (face === "loading")
    await expect(
      page.locator(".face.loading, .ghost, [aria-busy=true], .proof .yet").first(),
      said,
    ).toBeVisible();
  else if (face === "failed")
    await expect(page.getByRole("alert").or(page.locator(".proof .not")).first(), said).toBeVisible(
      { timeout: 12_000 },
    );
  else await expect.poll(() => loading(page), { message: said, timeout: 12_000 }).toEqual([]);
  await page.waitForTimeout(face === "loading" ? 600 : 350);
}
