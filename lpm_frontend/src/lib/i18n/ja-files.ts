/** The Japanese of `en-files.ts`. */
import type { filesEn } from "./en-files";

const count = (n: number): string => n.toLocaleString("ja");

export const filesJa: typeof filesEn = {
  files: {
    loading: "ファイルを開いています",
    list: "ワークスペースのファイル",
    count: (n) => `ファイル${count(n)}件。`,
    folder: (path) => `場所は ${path} です。どのエディターでも開けます。`,
    versions: (n) => `${count(n)}版`,
    choose: "ファイルを選ぶと、中身と前の版を読めます。",
    empty: "まだファイルがありません。",
    emptyHint:
      "memory.md の行は、すべてのプロンプトに入ります。ほかに書いたものは、メモと同じように検索されます。",
    first: "最初の一行",
    one: "ひとつのファイル",
    lost: "ファイルが見つかりません。",
    lostHint: "フォルダーで名前が変わったか、移動または削除されました。",
    troubles: "読まなかったファイル",
    unread: "記憶として読めない行",
    reading: "ファイルを読んでいます",
    text: "本文",
    cut: (rest) => `残り${count(rest)}文字は表示していません。`,
    open: "根拠として開く",
    read: (when) => `${when}に読みました`,
    always: "すべてのプロンプトに入るもの",
    fill: (tokens, most) => `${count(most)}トークンのうち${count(tokens)}`,
    out: (n) => `あと${count(n)}行は入りません。ほかのメモと同じように見つかります。`,
    none: "まだ空です。ここに書いた行は、どの質問でもモデルに渡されます。",
    change: "編集",
    changeLabel: "ファイルの本文",
    changeDo: "保存",
    leave: "キャンセル",
    add: "一行を追加",
    addDo: "追加",
    added: "ファイルに一行を追加しました",
    changed: "ファイルを編集しました",
  },
  versions: {
    title: "以前の版",
    loading: "版を読み込んでいます",
    number: (n) => `第${count(n)}版`,
    now: "現在の版",
    what: "変わったところ",
    first: "最初の版です。",
    restore: "この版に戻す",
    restored: "ファイルを以前の版に戻しました",
    diff: (n) => `第${count(n)}版で変わったところ`,
    added: "追加された行",
    skipped: "変更のない行",
  },
};
