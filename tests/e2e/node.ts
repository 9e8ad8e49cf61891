/**
 * A real node in a home of its own, with the shipped twins for model and embedder: started by the
 * test, ended by it.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { request, type BrowserContextOptions } from "@playwright/test";

const ROOT = resolve(__dirname, "..", "..");
const LPM = process.env["LPM_COMMAND"] ?? join(ROOT, ".venv", "bin", "lpm");
const STARTS_WITHIN_MS = 75_000;
const ENDS_WITHIN_MS = 15_000;

/**
 * What the scripted model says; the words are such that the guard finds them in the evidence.
 * `pause` lets a test stop it in mid-sentence.
 */
export const SCRIPT = {
  pause: 0.06,
  answers: [
    ["to speak as “Editor”", "Editor: Name the river first."],
    [
      "Rehearse the move",
      "You moved the workshop to Teramachi on 6 April 2024. What did you leave behind in the old room?",
    ],
    [
      "Question: When did I move",
      "You moved the workshop to Teramachi on 6 April 2024. You wanted to see the new room through one rainy season first.",
    ],
    [
      "Question: Tell me slowly",
      "You moved the workshop to Teramachi on 6 April 2024. " +
        "You wanted to see the new room through one rainy season first. ".repeat(8),
    ],
    [
      "Question: On which day did I move",
      "<think>\nThis asks about a day. The diary of April names it.\n</think>\n\n" +
        "You moved the workshop to Teramachi on 6 April 2024.",
    ],
    ["Question: .*break", null],
    ["工房を移した", "工房は2024年4月6日に寺町へ移しました。"],
  ],
};

export interface RunningNode {
  readonly address: string;
  readonly home: string;
  /** What a browser that is signed in brings along: `browser.newContext({ ...node.signedIn })`. */
  readonly signedIn: { baseURL: string; storageState: SignedIn };
  /** A link that signs a browser in, once. It costs the start of a command. */
  readonly login: () => string;
  readonly stop: () => Promise<void>;
}

type SignedIn = Exclude<BrowserContextOptions["storageState"], string | undefined>;

const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const server = createServer();
    server.once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address !== null && typeof address === "object"
          ? done(address.port)
          : fail(new Error("no port")),
      );
    });
  });

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode === null && child.signalCode === null
    ? new Promise((done) => child.once("exit", () => done()))
    : Promise.resolve();

/** Start a node in an empty home and wait until it answers. */
export async function startNode(said: typeof SCRIPT = SCRIPT, more = ""): Promise<RunningNode> {
  const home = mkdtempSync(join(tmpdir(), "lpm-e2e-"));
  const script = join(home, "script.json");
  writeFileSync(script, JSON.stringify(said));
  // In the settings, not in the environment, which outranks them: another model can be chosen.
  writeFileSync(
    join(home, "settings.toml"),
    `communities = "louvain"\nreflect = "asked"\ntrainer = "scripted"\nembedder = "hashing"\npeers_host = "127.0.0.1"\npeers_port = 0\nmodel = ${JSON.stringify(`scripted:${script}`)}\n${more}`,
    { mode: 0o600 },
  );
  const port = await freePort();
  const { LPM_MODEL: _, ...rest } = process.env;
  const env = { ...rest, LPM_HOME: home, LPM_PORT: String(port), LPM_OPEN: "0" };
  const child = spawn(LPM, ["start"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => (output += bytes.toString()));
  const address = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    child.kill("SIGINT");
    const late = setTimeout(() => child.kill("SIGKILL"), ENDS_WITHIN_MS);
    await ended(child);
    clearTimeout(late);
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  const until = Date.now() + STARTS_WITHIN_MS;
  // Once it answers, it says how to open it.
  let link: string | undefined;
  while (!(link = /http:\/\/\S+\/login\?code=\S+/.exec(output)?.[0])) {
    if (child.exitCode !== null || Date.now() > until) {
      await stop();
      throw new Error(`The node did not start:\n${output}`);
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  const browser = await request.newContext();
  await browser.get(link);
  const storageState = await browser.storageState();
  await browser.dispose();
  const login = (): string => {
    const link = /http:\/\/\S+/.exec(execFileSync(LPM, ["open"], { env }).toString())?.[0];
    if (!link) throw new Error("lpm open gave no link");
    return link;
  };
  return { address, home, signedIn: { baseURL: address, storageState }, login, stop };
}
