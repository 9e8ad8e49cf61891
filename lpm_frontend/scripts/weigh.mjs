// Says what each page fetches before it can be used: the scripts its HTML names, and its
// stylesheets, gzipped.
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const out = join(dirname(dirname(fileURLToPath(import.meta.url))), "out");
const LIMIT_KB = 230;
const size = async (path) =>
  gzipSync(await readFile(join(out, path.split("?")[0])), { level: 9 }).length;

for (const page of (await readdir(out)).filter((name) => name.endsWith(".html")).sort()) {
  const html = await readFile(join(out, page), "utf8");
  // A script marked nomodule is for browsers that this node does not serve.
  const scripts = [...html.matchAll(/<script\b[^>]*\ssrc="([^"]+)"[^>]*>/g)]
    .filter(([tag]) => !/nomodule/i.test(tag))
    .map(([, src]) => src);
  const sheets = [...html.matchAll(/<link\b[^>]*rel="stylesheet"[^>]*href="([^"]+)"/g)].map(
    ([, href]) => href,
  );
  const sum = async (paths) =>
    (await Promise.all([...new Set(paths)].map(size))).reduce((a, b) => a + b, 0) / 1000;
  const js = await sum(scripts);
  console.log(
    `${page.padEnd(18)} scripts ${js.toFixed(1).padStart(6)} kB   styles ${(await sum(sheets)).toFixed(1).padStart(5)} kB`,
  );
  if (js > LIMIT_KB) {
    console.error(`${page} loads more than ${LIMIT_KB} kB of script.`);
    process.exitCode = 1;
  }
}
