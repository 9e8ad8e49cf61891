import type { Locator, Page } from "@playwright/test";

/** What stands around every screen. */
export class Frame {
  readonly places: Locator;
  readonly main: Locator;
  readonly undo: Locator;
  constructor(readonly page: Page) {
    this.places = page.getByRole("navigation", { name: /^(Main menu|メインメニュー)$/ }).first();
    this.main = page.getByRole("main");
    this.undo = page.getByRole("button", { name: /^(Undo|元に戻す)$/ });
  }
  async go(place: string): Promise<void> {
    await this.places.getByRole("link", { name: place }).click();
  }
}
