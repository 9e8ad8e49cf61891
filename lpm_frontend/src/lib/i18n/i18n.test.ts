/** Every sentence in both languages, and no sentence anywhere else. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { formatBytes, formatDate } from ".";
import { en } from "./en";
import { captureEn } from "./en-capture";
import { keysEn } from "./en-keys";
import { filesEn } from "./en-files";
import { livesEn } from "./en-lives";
import { exposureEn } from "./en-exposure";
import { settingsEn } from "./en-settings";
import { placesEn } from "./en-places";
import { peopleEn } from "./en-people";
import { profileEn } from "./en-profile";
import { lockEn } from "./en-lock";
import { rolesEn } from "./en-roles";
import { tableEn } from "./en-table";
import { trainingEn } from "./en-training";
import { versionsEn } from "./en-versions";
import { ja } from "./ja";
import { captureJa } from "./ja-capture";
import { keysJa } from "./ja-keys";
import { filesJa } from "./ja-files";
import { livesJa } from "./ja-lives";
import { exposureJa } from "./ja-exposure";
import { tableJa } from "./ja-table";
import { settingsJa } from "./ja-settings";
import { placesJa } from "./ja-places";
import { peopleJa } from "./ja-people";
import { profileJa } from "./ja-profile";
import { lockJa } from "./ja-lock";
import { rolesJa } from "./ja-roles";
import { trainingJa } from "./ja-training";
import { versionsJa } from "./ja-versions";
import { tabsEn, tabsJa } from "./tabs";

/** What is a name, an address or a sign, and so the same in every language. */
const SAME = new Set([
  "app.name",
  "frame.toJapanese",
  "frame.toEnglish",
  "evidence.said",
  "library.kinds.pdf",
  "settings.english",
  "settings.japanese",
  "settings.about",
  "settings.filePlaceholder",
  "settings.endpointPlaceholder",
  "library.progress",
  "welcome.proof.listens_only_here.fine",
  "facts.label",
  "facts.host",
  "facts.why",
  "facts.to",
  "seek.signal",
]);

type Leaf = readonly [string, unknown];
const leaves = (tree: object, path = ""): Leaf[] =>
  Object.entries(tree).flatMap(([key, value]: [string, unknown]): Leaf[] =>
    typeof value === "object" && value !== null
      ? leaves(value, `${path}${key}.`)
      : [[`${path}${key}`, value]],
  );
/** A sentence with its blanks filled; those of checks take the numbers of the English one. */
const said = (value: unknown, path: string): string =>
  typeof value === "function"
    ? String(
        (value as (...args: unknown[]) => unknown)(
          ...(path.includes(".fine") ||
          path.includes(".look") ||
          path.includes(".broken") ||
          /^(facts|found)\./.test(path)
            ? [["3", "3"]]
            : [3, 3, 3, 3]),
        ),
      )
    : String(value);

describe("the two languages", () => {
  const english = new Map([
    ...leaves(en),
    ...leaves(placesEn),
    ...leaves(livesEn),
    ...leaves(profileEn),
    ...leaves(filesEn),
    ...leaves(versionsEn),
    ...leaves(trainingEn),
    ...leaves(peopleEn),
    ...leaves(rolesEn),
    ...leaves(tableEn),
    ...leaves(lockEn),
    ...leaves(settingsEn),
    ...leaves(exposureEn),
    ...leaves(keysEn),
    ...leaves(captureEn),
    ...leaves(tabsEn),
  ]);
  const japanese = new Map([
    ...leaves(ja),
    ...leaves(placesJa),
    ...leaves(livesJa),
    ...leaves(profileJa),
    ...leaves(filesJa),
    ...leaves(versionsJa),
    ...leaves(trainingJa),
    ...leaves(peopleJa),
    ...leaves(rolesJa),
    ...leaves(tableJa),
    ...leaves(lockJa),
    ...leaves(settingsJa),
    ...leaves(exposureJa),
    ...leaves(keysJa),
    ...leaves(captureJa),
    ...leaves(tabsJa),
  ]);

  it("have the same keys, but for what the node itself says in English", () => {
    const own = (keys: Iterable<string>): string[] =>
      [...keys].filter((key) => !/^(checks|problems|found|factWords)\./.test(key));
    expect(own(japanese.keys())).toEqual(own(english.keys()));
  });

  it("leave nothing empty and nothing untranslated", () => {
    for (const [key, value] of japanese) {
      expect(said(value, key).trim(), key).not.toBe("");
      if (SAME.has(key)) continue;
      if (english.has(key)) expect(said(value, key), key).not.toBe(said(english.get(key), key));
      if (key.startsWith("facts.")) continue; // names and numbers, mostly
      expect(said(value, key), key).toMatch(
        /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|^[\d.]+$/u,
      );
    }
  });

  it("speak without exclamation marks and without saying sorry", () => {
    for (const [key, value] of [...english, ...japanese])
      expect(said(value, key), key).not.toMatch(/!|！|sorry|申し訳|すみません/i);
  });
});

it("names every kind of what leaves for a contact, as the node counts it", () => {
  for (const kind of ["answers", "questions", "cards", "grants", "offers", "tables", "notices"])
    for (const text of [peopleEn, peopleJa])
      expect(
        (text.network.categories as Readonly<Record<string, string>>)[kind],
        kind,
      ).toBeTruthy();
});

it("holds no sentence that no screen says", () => {
  const code = files(join(import.meta.dirname, "..", ".."), /\.tsx?$/)
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
  // Sections of words that are looked up by a name which the node gives.
  const looked =
    /^(checks|problems|found|facts|factWords|health|welcome\.proof|settings\.languageNames|jobs\.steps)\./;
  const says = (key: string): boolean => {
    const [section, name] = key.split(".");
    const said = name === undefined ? section : `${section}\\.${name}`;
    return (
      new RegExp(`(?:text|words|t)\\.${said}\\b`).test(code) ||
      // a section that is handed on whole, to a component that says its `words`
      (code.includes(`words={t.${section}}`) && new RegExp(`\\bwords\\.${name}\\b`).test(code))
    );
  };
  const unsaid = [
    ...leaves(en),
    ...leaves(placesEn),
    ...leaves(livesEn),
    ...leaves(profileEn),
    ...leaves(filesEn),
    ...leaves(versionsEn),
    ...leaves(trainingEn),
    ...leaves(peopleEn),
    ...leaves(settingsEn),
    ...leaves(exposureEn),
  ]
    .map(([key]) => key)
    .filter((key) => !looked.test(key) && !says(key) && !/^(places|keys|tabs)\./.test(key));
  expect(unsaid).toEqual([]);
});

const files = (folder: string, ending = /\.tsx$/): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name) && !entry.name.includes(".test."))
    .map((entry) => join(entry.parentPath, entry.name));

/** Attributes that a person reads or hears. */
const SPOKEN = new Set(["aria-label", "title", "placeholder", "alt", "label", "hint"]);

/** Sentences that stand in a component instead of in the dictionaries. */
function strays(path: string): string[] {
  const found: string[] = [];
  const source = ts.createSourceFile(
    path,
    readFileSync(path, "utf8"),
    ts.ScriptTarget.Latest,
    true,
    ts.ScriptKind.TSX,
  );
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && /\p{L}/u.test(node.text)) found.push(node.text.trim());
    if (
      ts.isJsxAttribute(node) &&
      SPOKEN.has(node.name.getText()) &&
      node.initializer &&
      ts.isStringLiteral(node.initializer) &&
      /\p{L}/u.test(node.initializer.text)
    )
      found.push(node.initializer.text);
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** Commands and keys are typed as they are, in every language. */
const TYPED = /^(lpm (start|open|stop)|make demo|mod↵|modK|Esc)$/;

it("no component holds a sentence of its own", () => {
  const stray = files(join(import.meta.dirname, "..", "..")).flatMap((path) =>
    strays(path)
      .filter((words) => !TYPED.test(words))
      .map((words) => `${path}: ${words}`),
  );
  expect(stray).toEqual([]);
});

it("writes dates and sizes as each language does", () => {
  expect(formatDate("2025-09-02", "en")).toBe("2 Sep 2025");
  expect(formatDate("2025-11-20T00:00:00+09:00", "ja")).toBe("2025年11月20日");
  expect(formatDate("nonsense", "en")).toBe("");
  expect(formatBytes(640, "en")).toBe("640 B");
  expect(formatBytes(3_140_000, "en")).toBe("3.1 MB");
});
