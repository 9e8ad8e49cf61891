/**
 * What the node says in English about how a document was read, in Japanese. What is not here is
 * shown word for word.
 */
import type { Language } from ".";

const names = (words: string): string => words.replaceAll(", ", "、");
const REASONS: Readonly<Record<string, string>> = {
  "of a kind that is not read": "読めない種類",
  empty: "中身なし",
  "too large": "大きすぎる",
  damaged: "壊れている",
  "locked with a password": "パスワードつき",
  "an archive inside the archive; add it by itself":
    "アーカイブの中のアーカイブ。それだけを追加してください",
  "packed in a way that is not read": "読めない圧縮方式",
  "far larger once unpacked than its archive lets on": "展開すると極端に大きい",
  "it repeats conversations.json": "conversations.jsonと同じ内容",
};
const KINDS: Readonly<Record<string, string>> = {
  "plain text": "テキスト",
  "a PDF": "PDF",
  "a web page": "ウェブページ",
  "a Word file": "Word文書",
  "a zip archive": "zipアーカイブ",
  "a picture": "画像",
  "a recording": "録音",
  mail: "メール",
};

const PATTERNS: readonly (readonly [RegExp, (...found: readonly string[]) => string])[] = [
  [
    /^(\d+) files? taken out(?:, (\d+) known already)?\. Each is a document of its own\.$/u,
    (taken, known) =>
      `${taken}件を取り出しました。${known ? `ほかに${known}件はすでにあります。` : ""}それぞれが一つの資料です。`,
  ],
  [
    /^Left out (\d+) files? \((.+?)\): (.+)\.$/u,
    (count, reason, left) =>
      `${count}件を除きました（${REASONS[reason] ?? reason}）：${names(left)}`,
  ],
  [
    /^Left out (\d+) lines that are .+ \(line (.+)\)\.$/u,
    (count, lines) => `読めない${count}行を除きました（${names(lines)}行目）。`,
  ],
  [
    /^Left out what is attached(?: to message (\d+))?: (.+)\. Add those files by themselves\.$/u,
    (message, left) =>
      `${message ? `${message}通目の` : ""}添付は読んでいません：${names(left)}。別に追加してください。`,
  ],
  [
    /^Left out (\d+) of (\d+) messages that are damaged\.$/u,
    (bad, all) => `${all}通のうち壊れた${bad}通を除きました。`,
  ],
  [
    /^Its name ends in “(.+)”, but it is (.+), and was read as that\.$/u,
    (ending, kind) =>
      `名前は「${ending}」で終わりますが、中身は${KINDS[kind] ?? kind}なので、そのように読みました。`,
  ],
  [
    /^Picture, (\d+) × (\d+)(?:, taken on (\S+) at (\S+))?\. (.+)$/u,
    (width, height, day, time, rest) =>
      `画像、${width} × ${height}${day ? `、${day} ${time}撮影` : ""}。${picture(rest)}`,
  ],
  [
    /^What it says of itself \(length, title, date\) is damaged and was not read\.$/u,
    () => "ファイル自身の記録（長さ、題名、日付）は壊れていて、読めませんでした。",
  ],
  [/^Left out what is nested too deeply\.$/u, () => "入れ子が深すぎるところは読んでいません。"],
  [
    /^A picture of a kind whose size is not read here\. (.+)$/u,
    (rest) => `大きさのわからない画像です。${picture(rest)}`,
  ],
  [
    /^Recording(?:, (\d+:\d\d) long)?(?:, by (.+))?\. It is kept; /u,
    (length, by) =>
      `録音${length ? `、${length}` : ""}${by ? `、${by}` : ""}。原本はあります。話された言葉は読んでいません。whisper.cppなどで書き起こして追加してください。`,
  ],
];

function picture(rest: string): string {
  if (rest.includes("Install tesseract"))
    return "原本はあります。画像の文字は読んでいません。tesseractをインストールしてから lpm reindex を実行してください。";
  if (rest.includes("there are no words")) return "原本はあります。文字はありませんでした。";
  if (rest.includes("were read by tesseract"))
    return "文字はtesseractが読んだもので、誤りがあるかもしれません。";
  return "原本はあります。tesseractでは文字を読めませんでした。";
}

/** A remark of the node, in the language in use. */
export function remarkIn(language: Language, remark: string): string {
  if (language === "en") return remark;
  for (const [pattern, words] of PATTERNS) {
    const found = pattern.exec(remark);
    if (found) return words(...found.slice(1));
  }
  return remark;
}
