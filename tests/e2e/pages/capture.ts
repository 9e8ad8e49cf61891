import type { Locator, Page } from "@playwright/test";

/** The sheet for an entry of today. */
export class Capture {
  readonly sheet: Locator;
  readonly field: Locator;
  readonly save: Locator;
  readonly goingOn: Locator;
  constructor(readonly page: Page) {
    this.sheet = page.getByRole("dialog", { name: /^(Write today’s entry|今日の記録を書く)$/ });
    this.field = this.sheet.getByRole("textbox", { name: /^(Today|今日)/ });
    this.save = this.sheet.getByRole("button", { name: /^(Save entry|保存する)/ });
    this.goingOn = this.sheet.getByRole("region", { name: "What is going on" });
  }
  async open(): Promise<void> {
    await this.page.locator("body").press("w");
  }
}
