/** What the node remarks, in Japanese: nothing of it is left in English, but for names. */
import { describe, expect, it } from "vitest";
import { remarkIn } from "./remarks";

const REMARKS = [
  [
    "2 files taken out, 1 known already. Each is a document of its own.",
    "2件を取り出しました。ほかに1件はすでにあります。それぞれが一つの資料です。",
  ],
  [
    "Left out 1 file (of a kind that is not read): x.bin.",
    "1件を除きました（読めない種類）：x.bin",
  ],
  ["Left out 2 lines that are no turns (line 2, 3).", "読めない2行を除きました（2、3行目）。"],
  [
    "Left out what is attached: sky.pdf. Add those files by themselves.",
    "添付は読んでいません：sky.pdf。別に追加してください。",
  ],
  [
    "Its name ends in “.pdf”, but it is a web page, and was read as that.",
    "名前は「.pdf」で終わりますが、中身はウェブページなので、そのように読みました。",
  ],
  [
    "Picture, 40 × 30, taken on 2024-04-06 at 10:12. The picture is kept; there are no words in it.",
    "画像、40 × 30、2024-04-06 10:12撮影。原本はあります。文字はありませんでした。",
  ],
  [
    "Recording, 1:05 long. It is kept; what is said in it is not read.",
    "録音、1:05。原本はあります。話された言葉は読んでいません。whisper.cppなどで書き起こして追加してください。",
  ],
  [
    "What it says of itself (length, title, date) is damaged and was not read.",
    "ファイル自身の記録（長さ、題名、日付）は壊れていて、読めませんでした。",
  ],
] as const;

describe("a remark of the node", () => {
  it.each(REMARKS)("%s", (english, japanese) => {
    expect(remarkIn("ja", english)).toBe(japanese);
    expect(remarkIn("en", english)).toBe(english);
  });

  it("is shown word for word where it is not known", () => {
    expect(remarkIn("ja", "Something new.")).toBe("Something new.");
  });
});
