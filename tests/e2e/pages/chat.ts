import { expect, type Locator, type Page } from "@playwright/test";

/** Asking, and seeing where every word comes from. */
export class Chat {
  readonly composer: Locator;
  readonly stop: Locator;
  readonly last: Locator;
  readonly shelf: Locator;
  readonly source: Locator;
  readonly marked: Locator;
  constructor(readonly page: Page) {
    this.composer = page.getByRole("textbox", { name: /^(Your question|質問)$/ });
    this.stop = page.getByRole("button", { name: /^(Stop|止める)/ });
    this.last = page
      .getByRole("article")
      .filter({ has: page.getByRole("heading", { level: 2 }) })
      .last();
    this.shelf = page
      .getByRole("list")
      .filter({ has: page.locator('a[href^="/?id="]') })
      .first();
    this.source = page.getByRole("region", { name: /^(Source|原本)$/ }).first();
    this.marked = this.source.locator("mark");
  }
  async open(): Promise<void> {
    await this.page.goto("/");
    await expect(this.composer).toBeVisible();
  }
  async ask(question: string): Promise<void> {
    await this.composer.fill(question);
    await this.composer.press("Enter");
  }
  async answered(): Promise<void> {
    await expect(this.last.getByRole("button", { name: /^(Copy|コピー)$/ })).toBeVisible({
      timeout: 20_000,
    });
  }
  citation(n: number): Locator {
    return this.last
      .locator(".exchange-page")
      .getByRole("button", { name: new RegExp(`^(Source ${n}:|根拠${n}：)`) })
      .first();
  }
  note(n: number): Locator {
    return this.last.locator(`[data-note="${n}"]`);
  }
}
