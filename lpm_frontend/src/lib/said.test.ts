import { describe, expect, it } from "vitest";
import type { Job } from "./api/types";
import { en } from "./i18n/en";
import { ja } from "./i18n/ja";
import { jobOutcome } from "./said";

const imported = (result: Readonly<Record<string, unknown>>): Job =>
  ({
    kind: "import",
    result: { documents: 2, conversations: 1, known: 0, erased: 0, ...result },
  }) as unknown as Job;

describe("what came of an import", () => {
  it("says nothing of people where none came", () => {
    const plain = "2 documents and 1 conversation imported.";
    expect(jobOutcome(imported({}), en)).toBe(plain);
    expect(jobOutcome(imported({ people: { contacts: 0, tables: 0 } }), en)).toBe(plain);
  });

  it("names contacts and tables, and what stayed out or ended", () => {
    const people = {
      contacts: 3,
      tables: 1,
      strangers: 0,
      grants_over: 2,
      tables_open: 1,
      erased: 1,
    };
    expect(jobOutcome(imported({ people }), en)).toBe(
      "2 documents and 1 conversation imported. 3 contacts and 1 table imported. " +
        "2 grants that you gave are over here: give them anew if you want to. " +
        "1 table was left out, not being closed yet. " +
        "1 contact or table was left out because they were deleted here.",
    );
    expect(jobOutcome(imported({ people: { ...people, strangers: 3 } }), ja)).not.toContain(" ");
  });
});
