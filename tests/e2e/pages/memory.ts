import { expect, type Locator, type Page } from "@playwright/test";

/** What is believed, and one memory beside it. */
export class MemoryPlace {
  readonly list: Locator;
  readonly rows: Locator;
  /** One memory, in the margin. */
  readonly one: Locator;
  readonly dialog: Locator;
  constructor(readonly page: Page) {
    this.list = page.getByRole("region", { name: /^(Memories|記憶の一覧)$/ });
    this.rows = this.list.getByRole("listitem");
    this.one = page.getByRole("complementary", { name: /^(One memory|この記憶)$/ });
    this.dialog = page.getByRole("dialog");
  }
  async open(): Promise<void> {
    await this.page.goto("/memory");
    await expect(
      this.page.getByRole("heading", { level: 1, name: /^(Memory|記憶)$/ }),
    ).toBeVisible();
  }
  row(words: string): Locator {
    return this.rows.filter({ hasText: words });
  }
  async choose(words: string): Promise<void> {
    await this.row(words).getByRole("link", { name: words }).click();
    await expect(this.one.getByRole("blockquote")).toContainText(words);
  }
  /** Add a memory by hand. */
  async keep(said: {
    readonly what: string;
    readonly kind?: string;
    readonly whom?: string;
    readonly sure?: string;
  }): Promise<void> {
    await this.page.getByRole("button", { name: "Add a memory" }).first().click();
    await this.dialog.getByRole("textbox", { name: "What to remember" }).fill(said.what);
    if (said.kind) await this.dialog.getByText(said.kind, { exact: true }).click();
    if (said.whom)
      await this.dialog.getByRole("textbox", { name: "Who or what it is about" }).fill(said.whom);
    if (said.sure) await this.dialog.getByText(said.sure, { exact: true }).click();
    await this.dialog.getByRole("button", { name: "Save" }).click();
    await expect(this.dialog).toBeHidden({ timeout: 15_000 });
  }
}
