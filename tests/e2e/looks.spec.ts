/**
 * Every screen in both languages, both lights and four widths: nothing in anybody's way, nothing
 * cut off, everything said in the language.
 *
 * `make test-full` (LPM_FULL=1) looks at each of the sixteen ways; otherwise each width is seen
 * once, each language in one light.
 */
import { expect, expectAccessible, look, test } from "./fixtures";

const SCREENS = [
  ["chat", "/"],
  ["memory", "/memory?view=today"],
  ["timeline", "/memory?view=timeline"],
  ["map", "/memory?view=map"],
  ["pages", "/memory?view=pages"],
  ["opinions", "/memory?view=opinions"],
  ["biography", "/memory?view=biography"],
  ["files", "/memory?view=files"],
  ["library", "/library"],
  ["training", "/training?view=now"],
  ["scorecard", "/training?view=scorecard"],
  ["contacts", "/people?view=contacts"],
  ["grants", "/people?view=grants"],
  ["inbox", "/people?view=inbox"],
  ["network log", "/people?view=network"],
  ["roles", "/roles"],
  ["a role", "/roles?new=interview-coach"],
  ["search", "/search?q=workshop"],
  ["settings", "/settings"],
  ["exposure", "/exposure"],
  ["first use", "/welcome"],
  ["lost", "/no-such-page"],
] as const;
/** A screen comes up at the first width of each pair, and is then pulled to the second. */
const WIDTHS = [
  [390, 820],
  [1440, 1920],
] as const;
const FULL = process.env["LPM_FULL"] === "1";
const LOOKS = FULL
  ? (["en", "ja"] as const).flatMap((language) =>
      (["light", "dark"] as const).map((theme) => ({
        language,
        theme,
        widths: WIDTHS as readonly (readonly [number, number])[],
      })),
    )
  : [
      { language: "en" as const, theme: "light" as const, widths: [WIDTHS[0]] },
      { language: "ja" as const, theme: "dark" as const, widths: [WIDTHS[1]] },
    ];

for (const [name, path] of SCREENS) {
  test(`${name} in both languages, both lights and four widths`, async ({ page, expected }) => {
    test.setTimeout(240_000);
    expected.push(/404/);
    for (const { language, theme, widths } of LOOKS) {
      await look(page.request, { language, theme });
      for (const [first, then] of widths) {
        await page.setViewportSize({ width: first, height: 900 });
        await page.goto(path);
        for (const width of [first, then]) {
          await page.setViewportSize({ width, height: 900 });
          const said = `${name} in ${language}, ${theme}, at ${width}`;
          await expect(page.getByRole("heading", { level: 1 }), said).toBeVisible();
          await expect(page.locator("html"), said).toHaveAttribute("data-theme", theme);
          await expect(page.locator("html"), said).toHaveAttribute("lang", language);
          await expect(page.locator(".face.loading:visible"), said).toHaveCount(0);
          expect(
            await page.evaluate(() => document.documentElement.scrollWidth),
            `${said} is wider than its window`,
          ).toBeLessThanOrEqual(width);
          if (width === first) await expectAccessible(page, said);
        }
      }
    }
  });
}

test("a conversation with its source open is accessible in both lights", async ({ page, chat }) => {
  for (const theme of ["light", "dark"] as const) {
    await look(page.request, { language: "en", theme });
    await chat.open();
    await chat.ask("When did I move the workshop to Teramachi?");
    await chat.answered();
    await expectAccessible(page);
    await chat.citation(1).click();
    await expect(chat.marked.first()).toBeVisible();
    await expectAccessible(page);
  }
});

test("the language and the light are changed in the bar, at once and for good", async ({
  page,
  frame,
}) => {
  await look(page.request, { language: "en", theme: "light" });
  await page.goto("/");
  await page.getByRole("button", { name: "日本語" }).click();
  await expect(frame.places.getByRole("link", { name: "書庫" })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "質問" })).toHaveAttribute(
    "placeholder",
    "もうひとりの自分に尋ねる",
  );
  await page.getByRole("button", { name: "暗くする" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator("html")).toHaveAttribute("lang", "ja");
});
