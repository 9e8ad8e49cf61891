import { expect, type Locator, type Page } from "@playwright/test";

export interface Upload {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** What is in here, in what state. */
export class Library {
  readonly rows: Locator;
  readonly dialog: Locator;
  constructor(readonly page: Page) {
    this.rows = page
      .locator("main")
      .getByRole("row")
      .filter({ has: page.locator('a[href^="/library?id="]') });
    this.dialog = page.getByRole("dialog");
  }
  async open(): Promise<void> {
    await this.page.goto("/library");
    await expect(
      this.page.getByRole("heading", { level: 1, name: /^(Library|書庫)$/ }),
    ).toBeVisible();
  }
  row(title: string): Locator {
    return this.rows.filter({ hasText: title });
  }
  async add(files: Upload[]): Promise<void> {
    await this.page.getByRole("button", { name: "Add", exact: true }).click();
    const [chooser] = await Promise.all([
      this.page.waitForEvent("filechooser"),
      this.dialog.getByRole("button", { name: "Choose files" }).click(),
    ]);
    await chooser.setFiles(files);
  }
  async close(): Promise<void> {
    await this.dialog.getByRole("button", { name: "Done" }).click();
  }
}
