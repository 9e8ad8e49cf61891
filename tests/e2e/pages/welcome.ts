import type { Locator, Page } from "@playwright/test";

/** First use: the open book. */
export class Welcome {
  readonly name: Locator;
  readonly goOn: Locator;
  constructor(readonly page: Page) {
    this.name = page.getByRole("textbox", { name: "What should I call you?" });
    this.goOn = page.getByRole("button", { name: "Continue" });
  }
  async paste(text: string): Promise<void> {
    await this.page.getByRole("button", { name: "or paste text" }).click();
    await this.page.getByRole("textbox", { name: "Your text" }).fill(text);
    await this.page.getByRole("button", { name: "Add this text" }).click();
  }
}
