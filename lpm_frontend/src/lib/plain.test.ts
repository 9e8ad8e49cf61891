import { expect, it } from "vitest";
import { plain } from "./plain";

it("takes the marks off and leaves the words", () => {
  expect(
    plain(
      "# Sunday 11 June 2023\n\nSaw the house again.\n\n## Retain\n- O(c=0.75) @varnish: worth the drying\n- B Mai held the torch\n* plain",
    ),
  ).toBe(
    "Sunday 11 June 2023\nSaw the house again.\nvarnish: worth the drying\nMai held the torch\nplain",
  );
  expect(
    plain(
      "**Mai** said *no*, ~~then~~ `yes`; see [the letter](https://example.org/a) and ![the bridge](b.png).",
    ),
  ).toBe("Mai said no, then yes; see the letter and the bridge.");
  expect(plain("これは**強調**です。\n\n---\n\n| a | b |\n|---|:--|\n| 1 | 2 |\n- [x] done")).toBe(
    "これは強調です。\na · b\n1 · 2\ndone",
  );
});

it("reads the row of a table out", () => {
  expect(plain("name: Work creche; cost/mo: 640; wait: lottery; note: drew no. 41")).toBe(
    "Work creche: cost/mo 640, wait lottery, note drew no. 41",
  );
  expect(plain("日付: 5月3日; 場所: 京都; 品: ; 値段: 4,000円")).toBe(
    "5月3日: 場所 京都, 値段 4,000円",
  );
  for (const same of ["Mai: it rains; Ren: it does not", "Bring: rope, tape; the van: full."])
    expect(plain(same)).toBe(same);
});

it("leaves signs that mark nothing", () => {
  for (const same of [
    "2 * 3 * 4 = 24",
    "snake_case_name and __init",
    "5*3*2",
    "a ** b",
    "I gave it ***** of five",
    "[so it says]",
  ])
    expect(plain(same)).toBe(same);
  expect(plain("C# is a note – and so is D.")).toBe("C# is a note – and so is D.");
});
