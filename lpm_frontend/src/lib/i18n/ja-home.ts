/** The Japanese of `en-home.ts`. */
import type { Text } from "./en";
import type { enHome } from "./en-home";

const count = (n: number): string => n.toLocaleString("ja");

export const homeJa: Pick<Text, keyof typeof enHome> = {
  erase: {
    open: "控えからも消す…",
    title: (title) => `「${title}」を完全に消しますか`,
    counting: "消えるものを数えています",
    goes: "ここからも、すべての控えからも消えます：",
    stays: "ここからは届きません：",
    word: "消す",
    type: (word) => `続けるには「${word}」と入力してください`,
    does: "消す",
    keep: "残す",
    final: "控えからも、だれにも戻せません。",
    go: {
      originals: (n) => `原本${count(n)}件。題名、名前、札、日付も`,
      texts: (n) => `そこから作った本文${count(n)}件`,
      index: (n) => `文章${count(n)}件とその言葉、ベクトル`,
      conversations: (n) => `会話${count(n)}件`,
      turns: (n) => `会話のうち${count(n)}か所にある引用`,
      backups: (n) => `控え${count(n)}件の中の該当部分`,
      exports: (n) => `受け取り用に置いてあるまとめ${count(n)}件`,
      trainings: (n) => `これをもとにした学習${count(n)}件（すぐに使われなくなります）`,
    },
    stay: {
      handed_out: "受け取ったり渡したりしたまとめと、ご自分で写したフォルダー。",
      elsewhere: "ほかの機械のモデルに送ったもの。いつ、どこへかは「出来事」にあります。",
      git: "gitの履歴や、ほかのソフトの控えに入っているもの。",
      disk: "SSDは空いた領域をしばらく残すことがあります。暗号化したディスクなら読めません。",
    },
  },
};
