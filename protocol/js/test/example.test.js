// The page of fifty lines does what it says.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Client } from "../src/index.js";

const ran = promisify(execFile);
const HERE = fileURLToPath(new URL("..", import.meta.url));
const REPLY = { text: "By the mill.", abstained: false, form: "answer", cites: [], tokens: 3 };

it("the example meets somebody, waits for a grant, asks, and asks again as the same", async () => {
  const folder = mkdtempSync(join(tmpdir(), "smp-"));
  const asako = await Client.start({
    name: "Asako",
    listen: ["/ip4/127.0.0.1/tcp/0"],
    answer: async () => REPLY,
  });
  try {
    const file = join(folder, "client.json");
    const how = [file, await asako.invite(), "a visit", "Where did we walk?"];
    asako.addEventListener("contact", ({ detail: { contact } }) => {
      setTimeout(() => asako.give(contact, { purpose: "a visit" }), 1_500);
    });
    const first = await ran(process.execPath, ["example.js", ...how], { cwd: HERE });
    const [{ words }] = asako.contacts;
    assert.ok(first.stdout.includes(words.join(" ")) && first.stdout.endsWith("By the mill.\n"));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const second = await ran(process.execPath, ["example.js", ...how], { cwd: HERE });
    assert.equal(second.stdout, "By the mill.\n");
  } finally {
    await asako.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
