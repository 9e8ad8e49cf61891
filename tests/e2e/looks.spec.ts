/** Every screen in both languages, both lights and four widths: nothing in anybody's way, nothing cut off, everything said in the language. */
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
  ["search", "/search?q=workshop"],
  ["settings", "/settings"],
  ["first use", "/welcome"],
  ["lost", "/no-such-page"],
] as const;
const WIDTHS = [390, 820, 1440, 1920];

for (const language of ["en", "ja"] as const) {
  for (const theme of ["light", "dark"] as const) {
    test(`every screen in ${language}, ${theme}`, async ({ page, expected }) => {
      test.setTimeout(300_000);
      expected.push(/404/);
      await look(page.request, { language, theme });
      for (const [name, path] of SCREENS) {
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          await page.goto(path);
          await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
          await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
          await expect(page.locator("html")).toHaveAttribute("lang", language);
          expect(await page.evaluate(() => document.documentElement.scrollWidth), `${name} at ${width} is wider than its window`).toBeLessThanOrEqual(width);
          if (width === 390 || width === 1440) await expectAccessible(page);
        }
      }
    });
  }
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

test("the language and the light are changed in the bar, at once and for good", async ({ page, frame }) => {
  await look(page.request, { language: "en", theme: "light" });
  await page.goto("/");
  await page.getByRole("button", { name: "日本語" }).click();
  await expect(frame.places.getByRole("link", { name: "書庫" })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "質問" })).toHaveAttribute("placeholder", "もうひとりの自分に尋ねる");
  await page.getByRole("button", { name: "暗くする" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator("html")).toHaveAttribute("lang", "ja");
});
