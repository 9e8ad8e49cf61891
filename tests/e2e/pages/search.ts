import { expect, type Locator, type Page } from "@playwright/test";

/** Finding the place where something stands. */
export class SearchPlace {
  readonly field: Locator;
  readonly hits: Locator;
  constructor(readonly page: Page) {
    this.field = page.getByRole("searchbox", {
      name: /^(What are you looking for\?|何を探しますか)$/,
    });
    this.hits = page.getByRole("list", { name: /^(Results|検索結果)$/ }).getByRole("listitem");
  }
  async open(): Promise<void> {
    await this.page.goto("/search");
    await expect(this.field).toBeVisible();
  }
  async find(words: string): Promise<void> {
    await this.field.fill(words);
    await this.field.press("Enter");
    await expect(this.hits.first()).toBeVisible();
  }
}
