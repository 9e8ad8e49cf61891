import type { ownDocumentsEn } from "./en-own-documents";

export const ownDocumentsJa: typeof ownDocumentsEn = {
  label: "自分が書いたものからも学ぶ",
  means:
    "自分のメモや手紙、メッセージの中で、自分やほかの人について書いた文です。どの行にも出典があり、学ぶ前に外せます。",
  loading: "資料を読んでいます",
  nothing: "資料の中に、まだ判断していない文はありませんでした。",
  found: (statements, documents) => `資料${documents}件に${statements}文あります。`,
  most: (most) => `一度に学ぶのは${most}文までです。`,
  choose: "資料を選ぶ",
  sentences: (n) => `${n}文`,
  private: "非公開",
};
