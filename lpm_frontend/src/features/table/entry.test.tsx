import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { DiscussionDetail, TableEntry } from "@/lib/api/types";
import { tableEn } from "@/lib/i18n/en-table";
import { tableJa } from "@/lib/i18n/ja-table";
import { Entry } from "./entry";
import { whyOf } from "./views";

/** Every code of the protocol, out of its specification. */
const CODES = [
  ...readFileSync(
    join(import.meta.dirname, "../../../../protocol/spec/envelope.md"),
    "utf8",
  ).matchAll(/^\| `([a-z_]+)` \|.*\| (?:never|same|new)/gmu),
].map(([, code]) => code ?? "");

it("says why somebody could not speak, in both languages", () => {
  for (const t of [tableEn, tableJa]) {
    const plain = CODES.filter((code) => whyOf(code, t) === t.play.why.other);
    expect(plain).toEqual([
      "too_large",
      "malformed",
      "decrypt_failed",
      "bad_signature",
      "sender_mismatch",
      "wrong_audience",
      "replay",
    ]);
  }
  expect(CODES).toHaveLength(19);
});

it("shows the reason where it stands in the record", () => {
  const entry: TableEntry = {
    n: 3,
    hash: "h",
    step: "failed",
    by: "m2",
    at: "2026-03-14T11:00:00Z",
    text: "",
    gone: false,
    code: "busy",
  };
  const table = { members: [], items: [] } as unknown as DiscussionDetail;
  const nothing = (): void => undefined;
  const page = renderToStaticMarkup(
    <ol>
      <Entry table={table} entry={entry} onStrike={nothing} onKeep={nothing} onAnswer={null} />
    </ol>,
  );
  expect(page).toContain("m2 could not speak: no answer came in time. The others go on.");
});
