/** The table of keys holds every key that a screen listens for, and no other. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { KEY_ROWS, type KeyPlace } from "./key-rows";
import { PLACES } from "./places";

const SOURCE = join(import.meta.dirname, "..", "..");

/**
 * Where the keys stand that a file listens for. A file that begins to listen has to be written down
 * here, with its keys in the table.
 */
const PLACES_OF: Readonly<Record<string, readonly KeyPlace[]>> = {
  "features/frame/keys.ts": ["everywhere", "chat"],
  "features/capture/form.tsx": ["writing"],
  "features/chat/composer.tsx": ["chat"],
  "features/chat/rewording.tsx": ["writing"],
  "features/chat/title.tsx": ["writing"],
  "features/library/shelf.tsx": ["everywhere", "library"],
  "features/memory/pages/core-lines.tsx": ["writing"],
  "features/memory/review/keys.ts": ["everywhere", "review"],
  "features/memory/timeline/heat.tsx": ["timeline"],
  "features/memory/map/map-canvas.tsx": ["map"],
  "features/palette/finder.tsx": ["palette"],
  "features/source/reader.tsx": ["source"],
  "features/table/table.tsx": ["writing"],
  "ui/choose.tsx": ["everywhere"],
  "ui/letters.ts": ["findings"],
  "ui/mend.tsx": ["writing"],
  "ui/views.tsx": ["memory"],
};
/** What the browser itself does with a key, so that no source speaks of it. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  everywhere: ["Enter"],
  palette: ["Escape"],
  writing: ["Enter"],
};

/** A key without those that are held with it. */
const bare = (key: string): string =>
  (key.length === 1 ? key : key.replace(/^(mod|Shift )/, "")).replace(/^[A-Z]$/, (letter) =>
    letter.toLowerCase(),
  );
const table = new Map(
  KEY_ROWS.map(([where, rows]) => [where, new Set(rows.flatMap(([, keys]) => keys.map(bare)))]),
);

/** The keys that a source compares with, looks up or gives to somebody. */
function keysOf(text: string, name: string): ReadonlySet<string> {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found = new Set<string>();
  const maps = new Map<string, ts.ObjectLiteralExpression>();
  /** `event.key`, `event.key.toLowerCase()`, or `key` of an event that was taken apart. */
  const isKey = (node: ts.Node): boolean =>
    (ts.isPropertyAccessExpression(node) &&
      ["key", "code"].includes(node.name.text) &&
      /event$/i.test(node.expression.getText())) ||
    (ts.isIdentifier(node) && node.text === "key") ||
    (ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      isKey(node.expression.expression));
  const names = (map: ts.ObjectLiteralExpression): void => {
    for (const each of map.properties)
      found.add(
        bare(
          each.name !== undefined && (ts.isStringLiteral(each.name) || ts.isIdentifier(each.name))
            ? each.name.text
            : `?${each.getText()}`,
        ),
      );
  };
  const visit = (node: ts.Node): void => {
    if (
      ts.isVariableDeclaration(node) &&
      node.initializer &&
      ts.isObjectLiteralExpression(node.initializer)
    )
      maps.set(node.name.getText(), node.initializer);
    if (ts.isBinaryExpression(node) && ts.isStringLiteral(node.right) && isKey(node.left))
      found.add(bare(node.right.text));
    if (
      ts.isCaseClause(node) &&
      isKey(node.parent.parent.expression) &&
      ts.isStringLiteral(node.expression)
    )
      found.add(bare(node.expression.text));
    if (ts.isElementAccessExpression(node) && isKey(node.argumentExpression)) {
      const whole = ts.isParenthesizedExpression(node.expression)
        ? node.expression.expression
        : node.expression;
      const map = ts.isObjectLiteralExpression(whole) ? whole : maps.get(whole.getText());
      if (map) names(map);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const listening = readdirSync(SOURCE, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.includes(".test."))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ name: relative(SOURCE, path), text: readFileSync(path, "utf8") }))
  .filter(({ text }) => /"key(down|up|press)"|onKey(Down|Up|Press)|KeyboardEvent/.test(text));

describe("the table of keys", () => {
  it("knows every file that listens for keys", () => {
    expect(listening.map(({ name }) => name).toSorted()).toEqual(Object.keys(PLACES_OF).toSorted());
  });

  it.each(listening)("holds every key that $name listens for", ({ name, text }) => {
    const keys = keysOf(text, name);
    expect(keys.size, "no key was found in a file that listens for some").toBeGreaterThan(0);
    const shown = new Set(
      (PLACES_OF[name] ?? []).flatMap((where) => [...(table.get(where) ?? [])]),
    );
    expect([...keys].filter((key) => !shown.has(key))).toEqual([]);
  });

  it("promises no key that nothing listens for", () => {
    for (const [where, keys] of table) {
      const heard = new Set(
        listening
          .filter(({ name }) => PLACES_OF[name]?.includes(where))
          .flatMap(({ name, text }) => [...keysOf(text, name)]),
      );
      const places = where === "everywhere" ? PLACES.map((_, index) => String(index + 1)) : [];
      expect(
        [...keys].filter(
          (key) => !heard.has(key) && !places.includes(key) && !OWN[where]?.includes(key),
        ),
        where,
      ).toEqual([]);
    }
  });

  it("numbers the places as they stand", () => {
    expect([...(table.get("everywhere") ?? [])].filter((key) => /\d/.test(key))).toEqual(
      PLACES.map((_, index) => String(index + 1)),
    );
  });

  it("finds a key however it is listened for", () => {
    expect(
      [
        ...keysOf(
          'addEventListener("keydown", (event) => { if (event.key === "y") go(); ({ q: go })[event.key]?.(); switch (event.key) { case "z": go(); } });',
          "a.tsx",
        ),
      ].toSorted(),
    ).toEqual(["q", "y", "z"]);
  });
});
