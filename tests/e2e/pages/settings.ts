import { expect, type Locator, type Page } from "@playwright/test";

/** Everything that can be changed. */
export class Settings {
  constructor(readonly page: Page) {}
  async open(): Promise<void> {
    await this.page.goto("/settings");
    await expect(this.section("You")).toBeVisible();
  }
  section(name: string): Locator {
    return this.page.getByRole("region", { name, exact: true });
  }
}
