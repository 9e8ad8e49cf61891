/**
 * The ways to look at one's memory: the days, the pages, the map; with keys, as tables, and put
 * right with a way back.
 */
import type { APIRequestContext, Page } from "@playwright/test";
import { expect, expectAccessible, look, test } from "./fixtures";

test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

/** Have the names read, so that there are pages and a map. */
async function drawn(request: APIRequestContext): Promise<void> {
  expect((await request.post("/api/graph/rebuild")).status()).toBe(202);
  await expect
    .poll(
      async () => ((await (await request.get("/api/graph")).json()) as { state: string }).state,
      { timeout: 30_000 },
    )
    .toBe("fresh");
}
const timeline = (page: Page) => page.getByRole("group", { name: /^The days of / });

test("the tabs are links that the arrow keys walk along", async ({ page }) => {
  await page.goto("/memory");
  const tabs = page.getByRole("navigation", { name: "Views" });
  await expect(tabs.getByRole("link", { name: "Today" })).toHaveAttribute("aria-current", "page");
  await tabs.getByRole("link", { name: "Today" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/view=timeline/);
  await expect(tabs.getByRole("link", { name: "Timeline" })).toHaveAttribute(
    "aria-current",
    "page",
  );
});

test("a day tells what it holds, its sentence opens at its place, and it can be asked about", async ({
  page,
}) => {
  await page.goto("/memory?view=timeline&day=2024-04-06");
  const day = timeline(page).getByRole("button", { pressed: true });
  await expect(day).toHaveAccessibleName(/6 April 2024: \d+ passages?/);
  const told = page.getByRole("region", { name: "6 April 2024" });
  await expect(told.getByRole("article")).toContainText("Saturday");
  await expect(told.getByRole("blockquote")).toContainText(/\S/);
  const words = (await told.getByRole("blockquote").innerText()).slice(0, 20);
  await expectAccessible(page);
  await told.getByRole("button", { name: /^Open the source/ }).click();
  await expect(
    page.getByRole("region", { name: "Source", exact: true }).locator("mark").first(),
  ).toContainText(words);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("region", { name: "Source", exact: true })).toHaveCount(0);
  await expect(told.getByRole("link", { name: "Ask about this day" })).toHaveAttribute(
    "href",
    /ask=What%20happened%20on%206%20April%202024/,
  );
});

test("the days are walked with keys, a week and a month are wider, and a table says the same", async ({
  page,
}) => {
  await page.goto("/memory?view=timeline&day=2024-04-06");
  await timeline(page).getByRole("button", { pressed: true }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.locator(":focus")).toHaveAccessibleName(/^Sun 7 April 2024: nothing/);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/day=2024-03-31/);
  await expect(page.getByText("Nothing on this day.")).toBeVisible();
  await page.goto("/memory?view=timeline&day=2024-04-06");
  await page.locator("label", { hasText: /^Month$/ }).click();
  await expect(page.getByRole("heading", { level: 2, name: "April 2024" })).toBeVisible();
  await page.getByRole("button", { name: "As a table" }).click();
  await expect(
    page
      .getByRole("table", { name: "The days of 2024" })
      .getByRole("row", { name: /6 April 2024/ }),
  ).toBeVisible();
  await expectAccessible(page);
});

test("a page is opened, renamed and taken away, each with a way back", async ({ page, frame }) => {
  await drawn(page.request);
  await page.goto("/memory?view=pages");
  const list = page.getByRole("list", { name: "People, places, things and ideas" });
  await list.getByRole("link", { name: "Teramachi", exact: true }).click();
  const one = page.getByRole("complementary", { name: "One page" });
  await expect(one.getByRole("heading", { level: 2, name: "Teramachi" })).toBeFocused();
  await expect(
    one.getByRole("region", { name: "Mentions, newest first" }).getByRole("blockquote").first(),
  ).toContainText("Teramachi");
  await expectAccessible(page);
  await one.getByRole("button", { name: "Rename" }).click();
  await one.getByRole("textbox", { name: "Name" }).fill("The rooms in Teramachi");
  await page.keyboard.press("Enter");
  await expect(
    one.getByRole("heading", { level: 2, name: "The rooms in Teramachi" }),
  ).toBeVisible();
  await expect(one.getByRole("region", { name: "Your decisions" })).toContainText("Corrected");
  await frame.undo.first().click();
  await expect(
    one.getByRole("heading", { level: 2, name: "Teramachi", exact: true }),
  ).toBeVisible();
  await one.getByRole("button", { name: "Not a name" }).click();
  await expect(list.getByRole("link", { name: "Teramachi", exact: true })).toHaveCount(0);
  await frame.undo.first().click();
  await expect(list.getByRole("link", { name: "Teramachi", exact: true })).toBeVisible();
});

test("two pages become one after a look at what would be joined, and two again", async ({
  page,
  frame,
}) => {
  await drawn(page.request);
  await page.goto("/memory?view=pages");
  const list = page.getByRole("list", { name: "People, places, things and ideas" });
  await expect(list.getByRole("link", { name: "Teramachi", exact: true })).toBeVisible();
  const rows = await list.getByRole("listitem").count();
  await list.getByRole("link", { name: "Teramachi", exact: true }).click();
  const one = page.getByRole("complementary", { name: "One page" });
  await one.getByRole("button", { name: "Same as…" }).click();
  const dialog = page.getByRole("dialog", { name: "What else is Teramachi?" });
  await dialog.getByRole("checkbox").first().check();
  await expect(dialog.getByRole("status")).toContainText("2 pages become one, called Teramachi");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Merge", exact: true }).click();
  await expect(list.getByRole("listitem")).toHaveCount(rows - 1);
  await frame.undo.first().click();
  await expect(list.getByRole("listitem")).toHaveCount(rows);
});

test("a page says who it is, and one press joins what may be the same", async ({ page, frame }) => {
  const told = [
    "I asked Kaya to keep the proof by the press. My sister Kaya laughed.",
    "妹のカヤさんと話した。カヤさんがプレス機の試し刷りを持っていた。",
  ];
  for (const text of told) {
    const added = await page.request.post("/api/documents", { data: { text, title: "A proof" } });
    const { document } = (await added.json()) as { document: { id: string } };
    const state = async (): Promise<string> =>
      (
        (await (await page.request.get(`/api/documents/${document.id}`)).json()) as {
          state: string;
        }
      ).state;
    await expect.poll(state, { timeout: 30_000 }).toBe("ready");
  }
  await drawn(page.request);
  await page.goto("/memory?view=pages&slug=kaya");
  const one = page.getByRole("complementary", { name: "One page" });
  await expect(one.getByRole("list", { name: "Who this is" })).toContainText(
    "Kaya is your sister.",
  );
  const same = one.getByRole("region", { name: "May be the same" });
  await expect(same.getByRole("link", { name: "Open the page of カヤ" })).toBeVisible();
  await expectAccessible(page);
  await same.getByRole("button", { name: "カヤ is not the same" }).click();
  await expect(same).toHaveCount(0);
  await frame.undo.first().click();
  await same.getByRole("button", { name: "Merge with カヤ" }).click();
  await expect(one.getByText("Also written カヤ")).toBeVisible();
  await frame.undo.first().click();
  await expect(same.getByRole("button", { name: "Merge with カヤ" })).toBeVisible();
});

test("what some documents mean is made a page of its own, and one again", async ({
  page,
  frame,
  expected,
}) => {
  // The page that was made is asked for once more while it goes.
  expected.push(/404/);
  await drawn(page.request);
  await page.goto("/memory?view=pages");
  const list = page.getByRole("list", { name: "People, places, things and ideas" });
  await list.getByRole("link", { name: "Teramachi", exact: true }).click();
  const one = page.getByRole("complementary", { name: "One page" });
  await one.getByRole("button", { name: "Not all the same…" }).click();
  const dialog = page.getByRole("dialog", { name: "Which of these are not Teramachi?" });
  const named = (await (await page.request.get("/api/entities?text=Teramachi")).json()) as {
    items: { slug: string }[];
  };
  const naming = (await (
    await page.request.get(`/api/entities/${named.items[0]?.slug ?? ""}/documents`)
  ).json()) as { items: unknown[] };
  await expect(dialog.getByRole("checkbox")).toHaveCount(naming.items.length);
  await dialog.getByRole("textbox", { name: "Who or what it is there" }).fill("Teramachi in Kyoto");
  await dialog.getByRole("checkbox").first().check();
  await expect(dialog.getByRole("status")).toContainText("to Teramachi in Kyoto");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Split", exact: true }).click();
  await expect(one.getByRole("heading", { level: 2, name: "Teramachi in Kyoto" })).toBeVisible();
  await expect(list.getByRole("link", { name: "Teramachi in Kyoto" })).toBeVisible();
  await frame.undo.first().click();
  await expect(list.getByRole("link", { name: "Teramachi in Kyoto" })).toHaveCount(0);
  await expect(list.getByRole("link", { name: "Teramachi", exact: true })).toBeVisible();
});

test("Memory opens as it was looked at last", async ({ page }) => {
  const tab = (name: string) =>
    page.getByRole("navigation", { name: "Views" }).getByRole("link", { name });
  await page.goto("/memory?view=pages");
  await expect(tab("Pages")).toHaveAttribute("aria-current", "page");
  await page.goto("/memory");
  await expect(tab("Pages")).toHaveAttribute("aria-current", "page");
  await tab("Today").click();
  await expect(tab("Today")).toHaveAttribute("aria-current", "page");
  await page.goto("/memory");
  await expect(tab("Today")).toHaveAttribute("aria-current", "page");
});

test("the years are drawn together with keys, never past each other", async ({ page }) => {
  await page.route(/\/api\/graph(\?|$)/, async (route) => {
    const response = await route.fetch();
    const graph = (await response.json()) as {
      nodes: { first: string | null; last: string | null }[];
    };
    // The shared life is of one year; the slider needs several.
    for (const [at, node] of graph.nodes.entries())
      [node.first, node.last] = [
        `${2019 + (at % 3)}-03-01T00:00:00Z`,
        `${2022 + (at % 3)}-03-01T00:00:00Z`,
      ];
    await route.fulfill({ response, json: graph });
  });
  await drawn(page.request);
  await page.goto("/memory?view=map");
  const years = page.getByRole("group", { name: "Years shown" });
  const table = page.getByRole("table", { name: "People, places, things and ideas on the map" });
  await expect(years.or(table)).toBeVisible();
  test.skip(
    await table.isVisible(),
    "this browser cannot draw the map, and a table has no years to fade",
  );
  const [from, to] = [
    years.getByRole("slider", { name: "From year" }),
    years.getByRole("slider", { name: "To year" }),
  ];
  await expect(years).toContainText("2019");
  await from.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(from).toHaveValue("2021");
  await to.focus();
  for (let press = 0; press < 6; press += 1) await page.keyboard.press("ArrowLeft");
  await expect(to).toHaveValue("2021");
  await expect(years).toContainText("2021");
  await expectAccessible(page);
});

test("the map, or its table where a browser cannot draw: find somebody, open the page", async ({
  page,
}) => {
  await drawn(page.request);
  await page.goto("/memory?view=map");
  const map = page.getByRole("application");
  const table = page.getByRole("table", { name: "People, places, things and ideas on the map" });
  await expect(map.or(table)).toBeVisible();
  await page.getByRole("combobox", { name: "Find on the map" }).fill("Teramachi");
  await expect(
    page.getByRole("heading", { level: 2, name: "Teramachi", exact: true }),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { level: 2, name: "Teramachi", exact: true })).toHaveCount(
    0,
  );
  await expectAccessible(page);
  if (await map.isVisible()) {
    await map.focus();
    await page.keyboard.press("ArrowRight");
    await expect(page.getByText(/neighbours? on the map$/)).toHaveCount(1);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/slug=/);
    await page.getByRole("button", { name: "As a table" }).click();
  }
  await expect(table.getByRole("row", { name: /Teramachi/ }).first()).toBeVisible();
  await expectAccessible(page);
});
