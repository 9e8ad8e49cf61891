// A real node beside the tests, and what they wait for. The node is Python: LPM_PYTHON, or the
// repository's .venv.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PYTHON = process.env.LPM_PYTHON ?? join(ROOT, ".venv/bin/python");
export const HERE = ["/ip4/127.0.0.1/tcp/0"];

/** A node of its own in an empty folder; orders are answered one after another. */
export class Node {
  /** @param {...string} how */
  constructor(...how) {
    assert.ok(existsSync(PYTHON), `There is no ${PYTHON}: run make setup.`);
    this.folder = mkdtempSync(join(tmpdir(), "smp-"));
    this.process = spawn(PYTHON, ["-m", "tests.beside", join(this.folder, "home"), ...how], {
      cwd: ROOT,
      env: { ...process.env, PYTHONPATH: ROOT },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  async heard() {
    const { value, done } = await this.lines.next();
    assert.ok(!done, "The node ended.");
    return JSON.parse(value);
  }

  async do(order, more = {}) {
    this.process.stdin.write(`${JSON.stringify({ do: order, ...more })}\n`);
    const said = await this.heard();
    assert.equal(said.failed, undefined);
    return said.done;
  }

  end() {
    const gone = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.stdin.end();
    return gone.then(() => rmSync(this.folder, { recursive: true, force: true }));
  }
}

/** Wait for an event of a client. */
export const event = (client, name) =>
  new Promise((resolve) =>
    client.addEventListener(name, ({ detail }) => resolve(detail), { once: true }),
  );
