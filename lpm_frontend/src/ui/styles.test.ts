/**
 * The stylesheets and the components know the same classes, and no pigment is written outside the
 * tokens.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const source = join(import.meta.dirname, "..");
const all = (ending: RegExp): { path: string; text: string }[] =>
  readdirSync(source, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name) && !entry.name.includes(".test."))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }));

it("every class that is styled is used", () => {
  const code = all(/\.tsx?$/)
    .map(({ text }) => text)
    .join("\n");
  const dead = all(/\.css$/).flatMap(({ path, text }) => {
    const selectors = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\{[^{}]*\}/g, "{}");
    const classes = new Set(
      [...selectors.matchAll(/\.(-?[a-z][\w-]*)/gi)].map(([, name]) => name ?? ""),
    );
    return [...classes]
      .filter(
        (name) => !new RegExp(`(?<![\\w-])${name.replace(/^voice-/, "")}(?![\\w-])`).test(code),
      )
      .map((name) => `${path}: .${name}`);
  });
  expect(dead).toEqual([]);
});

it("colours are written in the tokens alone", () => {
  const painted = all(/\.(css|tsx)$/).filter(
    ({ path, text }) =>
      !path.endsWith("tokens.css") &&
      !path.endsWith("layout.tsx") &&
      /#[0-9a-f]{3,8}\b(?!")|rgb\(|hsl\(/i.test(text.replace(/"#[\w-]+"|url\([^)]*\)/g, "")),
  );
  expect(painted.map(({ path }) => path)).toEqual([]);
});
