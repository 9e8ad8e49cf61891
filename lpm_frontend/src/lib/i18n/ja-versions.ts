/** 資料の版。`en-versions.ts` と同じ形。 */
import type { versionsEn } from "./en-versions";

const count = (n: number): string => n.toLocaleString("ja");

export const versionsJa: typeof versionsEn = {
  title: "版",
  loading: "版を読み込んでいます",
  which: (n, of) => `第${count(n)}版（全${count(of)}版）`,
  number: (n) => `第${count(n)}版`,
  now: "現在の版",
  what: "変わったところ",
  first: "最初の版です。",
  open: "読む",
  useAgain: "この版をもう一度使う",
  used: (n) => `第${count(n)}版をもう一度使っています`,
  apart: "これは別の資料です",
  apartMeans: "この版とその後の版が別の資料になります。その前の版がまた使われます。",
  apartDone: "二つの資料に分けました",
  older: "これは以前の版です。",
  see: "変わったところを見る",
  present: "現在の版を開く",
  since: "この版のあとに変わったところ",
  askTitle: (name) => `「${name}」はすでにあります。`,
  askMeans: "その新しい版ですか、それとも別の資料ですか。",
  askNew: "新しい版",
  askOther: "別の資料",
  askOpen: "見てみる",
  joined: "新しい版として保存しました",
  diff: (n) => `第${count(n)}版で変わったところ`,
  added: "追加された行",
  removed: "削除された行",
  skipped: "表示していない行",
  same: "変更はありません。",
};
