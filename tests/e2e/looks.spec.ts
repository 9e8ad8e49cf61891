/**
 * Every screen: nothing in anybody's way, nothing cut off, everything said in the language.
 *
 * `make test-full` (LPM_FULL=1) looks at each in both languages, both lights and four widths.
 * Otherwise a screen is visited once, the other way round than `pictures.spec.ts` sees it.
 */
import { SCREENS as PICTURED } from "./faces";
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
interface Look {
  readonly language: "en" | "ja";
  readonly theme: "light" | "dark";
  /** A screen comes up at the first, and is then pulled to the others. */
  readonly widths: readonly number[];
}
const ALL: readonly Look[] = (["en", "ja"] as const).flatMap((language) =>
  (["light", "dark"] as const).flatMap((theme) =>
    [
      [390, 820],
      [1440, 1920],
    ].map((widths) => ({ language, theme, widths })),
  ),
);
const BESIDE_ITS_PICTURE: Look = { language: "en", theme: "light", widths: [1440, 1920, 820] };
const WITHOUT_A_PICTURE: Look = { language: "ja", theme: "dark", widths: [390, 820, 1440] };

function looksAt(name: string): readonly Look[] {
  if (process.env["LPM_FULL"] === "1") return ALL;
  return [PICTURED.some((screen) => screen.name === name) ? BESIDE_ITS_PICTURE : WITHOUT_A_PICTURE];
}

// Either worker takes the next one: none is left alone with the rest.
test.describe.configure({ mode: "parallel" });

for (const [name, path] of SCREENS) {
  test(`${name} stands in nobody's way and fits`, async ({ page, expected }) => {
    test.setTimeout(240_000);
    expected.push(/404/);
    for (const { language, theme, widths } of looksAt(name)) {
      await look(page.request, { language, theme });
      const [first = 1440] = widths;
      await page.setViewportSize({ width: first, height: 900 });
      await page.goto(path);
      for (const width of widths) {
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
    "分身に尋ねる",
  );
  await page.getByRole("button", { name: "ダークテーマにする" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator("html")).toHaveAttribute("lang", "ja");
});
