/** The Japanese of `en-home.ts`. */
import type { Text } from "./en";
import type { enHome } from "./en-home";

const count = (n: number): string => n.toLocaleString("ja");

export const homeJa: Pick<Text, keyof typeof enHome> = {
  erase: {
    open: "バックアップからも消去…",
    title: (title) => `「${title}」を完全に消去しますか`,
    counting: "消えるものを数えています",
    goes: "ここからも、すべてのバックアップからも消去されます：",
    stays: "次のものは消去できません：",
    word: "消去",
    type: (word) => `続けるには「${word}」と入力してください`,
    does: "消去する",
    keep: "残す",
    final: "バックアップを使っても、誰にも元に戻せません。",
    go: {
      originals: (n) => `原本${count(n)}件。題名、名前、タグ、日付も`,
      texts: (n) => `そこから作った本文${count(n)}件`,
      index: (n) => `文章${count(n)}件とその言葉、ベクトル`,
      conversations: (n) => `会話${count(n)}件`,
      turns: (n) => `会話のうち${count(n)}か所にある引用`,
      backups: (n) => `バックアップ${count(n)}件の中の該当部分`,
      exports: (n) => `ダウンロード用のアーカイブ${count(n)}件`,
      trainings: (n) => `これをもとにした学習${count(n)}件（すぐに使用停止になります）`,
    },
    stay: {
      handed_out: "ダウンロードしたり渡したりしたアーカイブと、自分でコピーしたホーム。",
      elsewhere:
        "外部のモデルに送ったもの。いつ、どこへ送ったかは「アクティビティ」で確認できます。",
      git: "gitの履歴や、ほかのソフトのバックアップに入っているもの。",
      disk: "SSDは解放した領域をしばらく残すことがあります。ディスクの暗号化が対策になります。",
    },
  },
};
