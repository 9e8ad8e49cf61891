// Takes the hashes of the inline scripts that the export needs, so that the node can serve a policy
// without 'unsafe-inline'. out/csp.json: {"scripts": ["sha256-…"] (all pages together), "pages":
// {"library.html": ["sha256-…"]}}. An inline style or a handler attribute would be blocked by that
// policy, so finding one fails the build.
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const out = join(dirname(dirname(fileURLToPath(import.meta.url))), "out");
const hash = (text) => `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
const pages = {};
const wrong = [];

for (const entry of (await readdir(out, { recursive: true }))
  .filter((name) => name.endsWith(".html"))
  .sort()) {
  const html = await readFile(join(out, entry), "utf8");
  const scripts = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)].filter(
    ([, attributes]) => !/\ssrc=/.test(attributes),
  );
  pages[relative(out, join(out, entry))] = scripts.map(([, , text]) => hash(text));
  const markup = html.replace(/<script\b[\s\S]*?<\/script>/g, "");
  if (/<style\b|<[^>]+\sstyle="/.test(markup)) wrong.push(`${entry}: an inline style`);
  if (/<[^>]+\son[a-z]+="/.test(markup)) wrong.push(`${entry}: an event handler attribute`);
  if (/(?:src|href)="(?:https?:)?\/\//.test(markup)) wrong.push(`${entry}: a remote address`);
}

const scripts = [...new Set(Object.values(pages).flat())].sort();
await writeFile(join(out, "csp.json"), `${JSON.stringify({ scripts, pages }, null, 1)}\n`);
console.log(`csp: ${scripts.length} inline scripts on ${Object.keys(pages).length} pages`);
if (wrong.length > 0) {
  console.error(wrong.join("\n"));
  process.exitCode = 1;
}
