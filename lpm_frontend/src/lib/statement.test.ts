import { describe, expect, it } from "vitest";
import { fileOf, lineOf, namesOf, spoken, spokenOf } from "./statement";

const memory = {
  id: "m0123abcd",
  kind: "opinion" as const,
  content: "prefers short replies",
  entities: ["Peter"],
  confidence: 0.9,
};

describe("a statement as a line", () => {
  it("names its kind, how sure it is, whom it is about, and its id", () => {
    expect(lineOf(memory)).toBe("O(c=0.9) @Peter: prefers short replies ^m0123abcd");
    expect(lineOf({ ...memory, kind: "experience", entities: [], confidence: null })).toBe(
      "B prefers short replies ^m0123abcd",
    );
    expect(lineOf({ ...memory, confidence: 1, entities: ["Mr Ide", "凪"] })).toBe(
      "O(c=1) @Mr Ide, @凪: prefers short replies ^m0123abcd",
    );
  });

  it("does not say a name twice that stands in its words", () => {
    expect(
      lineOf({
        ...memory,
        content: "writes to @Mai and @[Mr Ide]",
        entities: ["Peter", "Mai", "Mr Ide"],
      }),
    ).toBe("O(c=0.9) @Peter: writes to @Mai and @[Mr Ide] ^m0123abcd");
  });
});

it("is read without the marks of names, and an address stays as it is", () => {
  expect(
    spoken({
      content: "I took over from @[Mr Ide], says @Mai; write to me@example.org",
      entities: ["Mr Ide", "Mai", "example.org"],
    }),
  ).toBe("I took over from Mr Ide, says Mai; write to me@example.org");
});

it("is read with whom it is about, where its words do not say it", () => {
  const of = (content: string, ...entities: string[]) => spokenOf({ content, entities });
  expect(of("prefers short replies", "Peter")).toBe("Peter: prefers short replies");
  expect(of("prefers short replies", "Peter", "Dr. A. Osei")).toBe(
    "Peter, Dr. A. Osei: prefers short replies",
  );
  expect(of("@Peter prefers short replies", "Peter")).toBe("Peter prefers short replies");
  expect(of("what Osei said was kind", "Dr. A. Osei")).toBe("what Osei said was kind");
  expect(of("五歳になった", "栗")).toBe("栗: 五歳になった");
  expect(of("栗は五歳になった", "栗")).toBe("栗は五歳になった");
  expect(of("I varnish in June")).toBe("I varnish in June");
});

it("knows the file of a place, and names between commas of either language", () => {
  expect([
    fileOf("memory/2026-11-21.md#L5"),
    fileOf("bank/world.md#L5-L6"),
    fileOf("memory.md"),
  ]).toEqual(["memory/2026-11-21.md", "bank/world.md", "memory.md"]);
  expect(namesOf(" Peter, @Mr Ide、凪，Peter,")).toEqual(["Peter", "Mr Ide", "凪"]);
});
