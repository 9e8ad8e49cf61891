/**
 * Other people: two who meet from two browsers, an invite made and withdrawn, a grant written
 * beside what it covers, given and revoked, and a question that waits for a yes.
 */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, expectAccessible, look, test } from "./fixtures";
import { startNode } from "./node";

const ROOT = resolve(__dirname, "..", "..");
/** What the other node would do: see `befriend.py`. */
const befriend = (...words: readonly string[]): string =>
  execFileSync(
    join(ROOT, ".venv", "bin", "python"),
    [join(ROOT, "tests", "e2e", "befriend.py"), ...words],
    { env: { ...process.env, PYTHONPATH: ROOT } },
  )
    .toString()
    .trim();

/** What listens for contacts is a process of its own, which has libp2p to load. */
const STARTS_MS = 60_000;
/** A question that waits for a yes is asked again after half a minute, and up to a quarter more. */
const AGAIN_MS = 90_000;
/** One that the scripted model knows. */
const ASKED = "When did I move the workshop to Teramachi?";

test.describe.configure({ mode: "serial" });
test.beforeEach(async ({ page }) => look(page.request, { language: "en" }));

test("an invite is made, copied and withdrawn", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("5");
  await expect(page.getByRole("heading", { level: 1, name: "People" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "No contacts yet." })).toBeVisible();
  await expectAccessible(page, "nobody");
  const reach = page.getByRole("complementary", { name: "Invites" });
  await expect(reach).toContainText("Nobody: this node is not listening.");
  await reach.getByRole("button", { name: "Let contacts reach this node" }).click();
  await expect(reach).toContainText(
    "Your contacts can reach this node, but only from this machine.",
    {
      timeout: STARTS_MS,
    },
  );
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "Invite somebody" });
  await dialog.getByRole("textbox", { name: "For whom" }).fill("Mai from the ridge");
  await dialog.getByText("six hours").click();
  await dialog.getByRole("button", { name: "Create the link" }).click();
  const link = dialog.getByRole("textbox", { name: "The link" });
  await expect(link).toHaveValue(/^smp:\/\/i\//);
  await dialog.getByRole("button", { name: "Show QR code" }).click();
  await expect(
    dialog.getByRole("img", {
      name: "The link as a QR code. Scan it with a phone.",
    }),
  ).toBeVisible();
  await expectAccessible(page, "the link");
  await dialog.getByRole("button", { name: "Copy the link" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await link.inputValue());
  await page.keyboard.press("Escape");
  const invites = page.getByRole("complementary", { name: "Invites" });
  await expect(invites.getByText("Mai from the ridge")).toBeVisible();
  await invites.getByRole("button", { name: "Withdraw: Mai from the ridge" }).click();
  await expect(invites.getByText("withdrawn", { exact: true })).toBeVisible();
});

test("keys that a passphrase locks are opened on the screen", async ({ page, node, expected }) => {
  expected.push(/409/);
  const file = `${node.home}-passphrase`;
  writeFileSync(file, "a heron over the weir\n");
  const protect = (...words: readonly string[]): void => {
    execFileSync(
      join(ROOT, ".venv", "bin", "python"),
      ["-m", "lpm_kernel", "peer", "protect", "--passphrase-file", file, ...words],
      { env: { ...process.env, PYTHONPATH: ROOT, LPM_HOME: node.home } },
    );
  };
  protect();
  try {
    await page.goto("/people");
    const reach = page.getByRole("complementary", { name: "Invites" });
    const field = reach.getByLabel("Passphrase of your keys");
    await expect(field).toBeVisible({ timeout: 15_000 });
    await expectAccessible(page, "locked keys");
    await field.fill("another one");
    await page.keyboard.press("Enter");
    await expect(reach.getByRole("alert")).toContainText(
      "The keys for other nodes cannot be unlocked.",
    );
    await field.fill("a heron over the weir");
    await reach.getByRole("button", { name: "Unlock the keys" }).click();
    await expect(field).toBeHidden();
    await expect(reach).toContainText(
      "Your contacts can reach this node, but only from this machine.",
      {
        timeout: STARTS_MS,
      },
    );
  } finally {
    protect("--remove");
    rmSync(file);
  }
});

test("a grant is written beside what it covers, given, and revoked", async ({ page, node }) => {
  const { items } = (await (await page.request.get("/api/documents")).json()) as {
    items: { id: string; title: string; state: string; private: boolean }[];
  };
  // the newest may be another test's, and not read yet
  const tagged = items.filter((each) => each.state === "ready" && !each.private).at(-1);
  expect(
    (
      await page.request.patch(`/api/documents/${tagged?.id}`, { data: { tags: ["workshop"] } })
    ).ok(),
  ).toBe(true);
  befriend(node.home);
  await page.goto("/people");
  await page
    .getByRole("list", { name: "Contacts" })
    .getByRole("link", { name: "Mai Kurose" })
    .click();
  await expect(page.getByRole("heading", { name: "Mai Kurose", exact: true })).toBeVisible();
  await expect(
    page.getByRole("complementary", { name: "Six words" }).getByRole("listitem"),
  ).toHaveCount(6);
  await expect(page.getByText("Nothing. Without a grant every question is refused.")).toBeVisible();
  await expectAccessible(page, "a contact");
  await page.getByRole("link", { name: "Give Mai Kurose a grant" }).click();

  const covers = page.getByRole("complementary", { name: "What this covers" });
  await page.getByText("A topic", { exact: true }).click();
  const give = page.getByRole("button", { name: "Give this grant to Mai Kurose" });
  await expect(give).toBeDisabled();
  await expect(covers).toContainText("Choose at least one tag");
  await page.getByRole("button", { name: "…: change" }).click();
  await page.getByRole("checkbox", { name: /^workshop/ }).check();
  const count = covers.getByRole("status");
  await expect(count).toContainText(/[1-9]\d* ?items? from 1 document/);
  await expect(covers.getByText("without one of these tags")).toBeVisible();
  const before = await count.textContent();
  await page.getByRole("button", { name: "from any time: change" }).click();
  await page.getByLabel("From this day on").fill("2030-01-01");
  await expect(count).toContainText("Nothing is covered.");
  await page.getByLabel("From this day on").fill("");
  await expect(count).toHaveText(before ?? "");
  await page.getByRole("button", { name: "an excerpt: change" }).click();
  await page.getByRole("radio", { name: /^a summary/ }).check();
  await page.getByRole("button", { name: "I am asked first: change" }).click();
  await expect(page.getByRole("radio", { name: /^I am asked first/ })).toBeChecked();
  await expectAccessible(page, "the composer");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("radio", { name: /^I am asked first/ })).toHaveCount(0);
  await page.getByRole("textbox", { name: "What it is for" }).fill("a visit");
  await give.click();

  const grants = page.getByRole("list", { name: "What Mai Kurose may ask" });
  await expect(grants).toContainText(
    "Mai Kurose may ask questions and look up passages about workshop",
  );
  await expect(grants).toContainText("a summary");
  await expect(grants).toContainText("you are asked first");

  const { items: given } = (await (await page.request.get("/api/grants")).json()) as {
    items: { id: string }[];
  };
  befriend(node.home, given[0]?.id ?? "");
  await page.goto("/people?view=inbox");
  const letter = page.getByRole("article", { name: "Mai Kurose asks" });
  await expect(letter).toContainText("Was the south ridge icy");
  await expect(page.getByRole("link", { name: "Inbox · 1" })).toBeVisible();
  await expectAccessible(page, "the inbox");
  await letter.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Nothing is waiting for you." })).toBeVisible();
  await expect(page.getByText("you said yes; being answered")).toBeVisible();

  await page.goto("/people?view=grants");
  await page.getByRole("button", { name: "Revoke the grant for Mai Kurose" }).click();
  await expect(
    page
      .getByRole("list", { name: "Given by you" })
      .getByText("Revoked, in effect now. What was already told cannot be taken back."),
  ).toBeVisible();
  expect(
    (
      (await (await page.request.get("/api/grants")).json()) as { items: { state: string }[] }
    ).items.map(({ state }) => state),
  ).toEqual(["revoked"]);

  await page.goto("/people?view=network");
  await expect(
    page.getByRole("heading", { name: "Nothing has been sent from this machine to anybody." }),
  ).toBeVisible();
  await expect(page.getByText("Mai Kurose a grant was given")).toBeVisible();
  await expectAccessible(page, "the network log");
});

test("somebody is named, blocked, ended and forgotten", async ({ page }) => {
  await page.goto("/people");
  await page
    .getByRole("list", { name: "Contacts" })
    .getByRole("link", { name: "Mai Kurose" })
    .click();
  await page.getByRole("textbox", { name: "What you call them" }).fill("Mai");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Mai", exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Block", exact: true }).click();
  await expect(page.getByText(/^blocked ·/)).toBeVisible();
  await page.getByRole("button", { name: "Unblock" }).click();
  await page.getByRole("button", { name: "End the contact" }).click();
  await expect(page.getByText(/^ended ·/)).toBeVisible();
  await page.getByRole("button", { name: "Delete the contact" }).click();
  await expect(page.getByRole("button", { name: "Keep", exact: true })).toBeFocused();
  await page.getByRole("button", { name: "Delete the contact" }).click();
  await expect(page.getByRole("heading", { name: "No contacts yet." })).toBeVisible();
});

test("two people meet from two browsers, compare the words, and one asks the other, whose answer shows by itself", async ({
  page,
  browser,
}) => {
  test.setTimeout(420_000);
  const other = await startNode();
  try {
    const context = await browser.newContext(other.signedIn);
    const theirs = await context.newPage();
    expect((await theirs.request.put("/api/identity", { data: { name: "Ren Aoki" } })).ok()).toBe(
      true,
    );
    await look(theirs.request, { language: "en" });

    await page.goto("/people");
    await page.getByRole("button", { name: "Invite somebody" }).click();
    const inviting = page.getByRole("dialog", { name: "Invite somebody" });
    await inviting.getByRole("button", { name: "Create the link" }).click();
    const link = await inviting
      .getByRole("textbox", { name: "The link" })
      .inputValue({ timeout: STARTS_MS });

    await theirs.goto(`/people#invite=${encodeURIComponent(link)}`);
    const greeting = theirs.getByRole("dialog", { name: "Use an invite" });
    await expect(greeting.getByRole("textbox", { name: "The link they sent you" })).toHaveValue(
      link,
    );
    expect(theirs.url()).toBe(`${other.address}/people`);
    await greeting
      .getByRole("textbox", { name: "What you call them" })
      .fill("Nagi from the workshop");
    await expectAccessible(theirs, "an invite that is used");
    await greeting.getByRole("button", { name: "Say hello" }).click();
    await expect(greeting.getByText("They were reached. You are contacts now.")).toBeVisible({
      timeout: STARTS_MS,
    });
    await greeting.getByRole("link", { name: "Compare the six words" }).click();
    const words = theirs.getByRole("complementary", { name: "Six words" });
    await expect(words.locator(".six-words li")).toHaveCount(6);
    await words.getByRole("button", { name: "They match" }).click();
    await expect(words.getByText(/^You compared them on /)).toBeVisible();

    await page.goto("/people");
    await page
      .getByRole("list", { name: "Contacts" })
      .getByRole("link", { name: "Ren Aoki" })
      .click();
    const ours = page.getByRole("complementary", { name: "Six words" }).locator(".six-words li");
    await expect(ours).toHaveCount(6);
    expect(await ours.allTextContents()).toEqual(
      await words.locator(".six-words li").allTextContents(),
    );

    const { items: documents } = (await (await page.request.get("/api/documents")).json()) as {
      items: { id: string }[];
    };
    for (const { id } of documents)
      expect(
        (await page.request.patch(`/api/documents/${id}`, { data: { tags: ["workshop"] } })).ok(),
      ).toBe(true);
    const { items } = (await (await page.request.get("/api/contacts")).json()) as {
      items: { id: string; name: string }[];
    };
    const ren = items.find(({ name }) => name === "Ren Aoki")?.id;
    expect(
      (
        await page.request.post("/api/grants", {
          data: {
            contact: ren,
            template: "topic",
            tags: ["workshop"],
            purpose: "a visit",
            consent: "ask",
          },
        })
      ).status(),
    ).toBe(201);
    const question = theirs.getByRole("textbox", { name: "Your question" });
    await expect(question).toBeVisible({ timeout: STARTS_MS });
    await question.fill("When did you move the workshop?");
    await expect(theirs.getByText(/questions left today · grant valid until /)).toBeVisible();
    await theirs.getByRole("button", { name: "Ask", exact: true }).click();
    const asked = theirs.getByRole("list", { name: "Your questions" });
    await expect(asked).toContainText(/It is waiting for them to say yes\. Next try at /, {
      timeout: STARTS_MS,
    });
    await expectAccessible(theirs, "a question that waits");
    await asked.getByRole("button", { name: "Withdraw: When did you move the workshop?" }).click();
    await expect(asked).toContainText("You withdrew it.");
    await page.goto("/people?view=inbox");
    await expect(page.getByRole("article", { name: "Ren Aoki asks" })).toContainText(
      "When did you move the workshop?",
    );

    // Asked once more, without a mouse. What comes back shows on the screen that is open, which
    // nobody loads again.
    await theirs.evaluate(() => Object.assign(window, { lpmStayed: true }));
    await question.focus();
    await theirs.keyboard.type(ASKED);
    await theirs.keyboard.press("Tab");
    await theirs.keyboard.press("Enter");
    await expect(asked.getByRole("button", { name: `Withdraw: ${ASKED}` })).toBeVisible();
    await page
      .getByRole("article", { name: "Ren Aoki asks" })
      .filter({ hasText: ASKED })
      .getByRole("button", { name: "Send", exact: true })
      .click({ timeout: STARTS_MS });
    const came = asked.getByRole("article", {
      name: "From Nagi from the workshop’s second self, under the grant “a visit”. Not checked.",
    });
    await expect(came).toContainText("to Teramachi on 6 April 2024", { timeout: AGAIN_MS });
    await expect(came).toContainText("not yet yours");
    await expect(asked.getByRole("button", { name: `Withdraw: ${ASKED}` })).toHaveCount(0);
    await expectAccessible(theirs, "an answer that came");
    await came.getByText("Sources").press("Enter");
    await expect(came.getByRole("listitem").first()).toContainText("Teramachi");

    // Another place is looked at meanwhile, and it is there when one comes back.
    await theirs.locator("body").press("3");
    await expect(theirs.getByRole("heading", { level: 1, name: "Library" })).toBeVisible();
    await theirs.locator("body").press("5");
    await theirs
      .getByRole("list", { name: "Contacts" })
      .getByRole("link", { name: "Nagi from the workshop" })
      .press("Enter");
    await came.getByRole("button", { name: "Keep", exact: true }).press("Enter");
    await expect(came.getByRole("link", { name: "Kept as a document" })).toBeVisible({
      timeout: STARTS_MS,
    });
    expect(await theirs.evaluate(() => "lpmStayed" in window)).toBe(true);
    await context.close();
  } finally {
    await other.stop();
  }
});
