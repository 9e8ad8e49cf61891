// Copies the fonts out of their npm packages into public/fonts, woff2 alone, with one stylesheet
// for Latin (loaded before first paint) and one for Japanese (loaded after it; its unicode-range
// slices fetch only the glyphs that a page needs).
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packageFolder = (name) =>
  dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
const out = join(root, "public", "fonts");

const SHEETS = {
  latin: [
    ["@fontsource-variable/newsreader", "standard.css"],
    ["@fontsource-variable/instrument-sans", "index.css"],
    ["@fontsource/commit-mono", "latin-400.css"],
  ],
  japanese: [
    ["@fontsource/shippori-mincho", "400.css"],
    ["@fontsource/shippori-mincho", "600.css"],
    ["@fontsource/zen-kaku-gothic-new", "400.css"],
    ["@fontsource/zen-kaku-gothic-new", "500.css"],
  ],
};

// The Latin of the Japanese families is never seen: the Latin faces stand before them in every
// stack.
const unseen = /-(latin|latin-ext|cyrillic|cyrillic-ext|greek|vietnamese)-\d+-normal/;

async function sheet(name, parts) {
  const faces = [];
  for (const [pkg, file] of parts) {
    const folder = packageFolder(pkg);
    const css = await readFile(join(folder, file), "utf8");
    for (const face of css.match(/@font-face \{[^}]+\}/g) ?? []) {
      const woff2 = /url\(\.\/files\/([^)]+\.woff2)\)/.exec(face)?.[1];
      if (!woff2 || (name === "japanese" && unseen.test(woff2))) continue;
      await cp(join(folder, "files", woff2), join(out, basename(woff2)));
      faces.push(
        face.replace(/src:[^;]+;/, `src: url(${woff2}) format("woff2");`).replace(/\s*\n\s*/g, ""),
      );
    }
  }
  const css = `${faces.join("\n")}\n`;
  await writeFile(join(out, `${name}.css`), css);
  return [name, faces.length, createHash("sha256").update(css).digest("hex").slice(0, 8)];
}

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
for (const [name, parts] of Object.entries(SHEETS)) {
  const [, count, hash] = await sheet(name, parts);
  console.log(`fonts: ${name}.css, ${count} faces, ${hash}`);
}
