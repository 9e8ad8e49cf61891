/** The sentences about pairs of answers, in Japanese. */
import type { PairsText } from "./en-pairs";

const n0 = (n: number): string => n.toLocaleString("ja");

export const pairsJa: PairsText = {
  title: (n) => `どちらの答えがよいか：${n0(n)}組`,
  notLearned:
    "この学習では学びません。学ぶには、「すべての設定」で「好みを学ぶ」を選び、もう一度準備してください。",
  search: "組を探す",
  kinds: "選ぶ理由",
  every: "すべて",
  loading: "組を読み込んでいます",
  none: "一致する組はありません。",
  chosen: "選ぶ答え",
  rejected: "選ばない答え",
  asker: (who) => `聞く人：${who}`,
  notes: (n) => `ノート${n0(n)}件つき`,
  strikeWhat: (question) => `この組を除く：${question}`,
  backWhat: (question) => `この組を戻す：${question}`,
  struck: "組を除きました",
  broughtBack: "組を戻しました",
  memory: "記憶",
  document: "資料",
  conversation: "会話",
  isPrivate: "非公開",
  more: "続きの組",
  list: "組の一覧",
  shown: (n) => `${n0(n)}組`,
  lengths: (chosen, rejected) => `長さの平均は${n0(chosen)}字と${n0(rejected)}字です。`,
  add: "自分で組を追加",
  addChosen: "望ましい答え",
  addRejected: "自分なら言わない答え",
  rule: {
    thumbs: "あなたが評価",
    edited: "あなたが言い直した",
    choice: "あなたが選んだ",
    struck: "もとの文が直された",
    correction: "あなたが訂正",
    evidence: "ノートに基づく",
    invented: "作りごとでない",
    voice: "あなたの言葉",
    stranger: "相手が知ってよいだけ",
  },
};
