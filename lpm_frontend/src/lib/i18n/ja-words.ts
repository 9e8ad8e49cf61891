/** 学習の問いを書くエンドポイントの文章。`training.ts` を参照。 */
import type { wordsEn } from "./en-words";

const n0 = (n: number): string => n.toLocaleString("ja");

export const wordsJa: typeof wordsEn = {
  title: "問いを書くエンドポイント",
  url: "アドレス",
  key: "キー",
  keyHint: "空にすると、前に入れたものを使います。",
  model: "そこのモデル",
  look: "何が送られるか見る",
  looking: "数えています",
  sends: (n, host) =>
    `残した文や書いた文${n0(n)}件が、一つずつ、名前を付けずに${host}へ送られます。送ったものは取り消せません。`,
  stays: (n, host) => `文${n0(n)}件を、このパソコンの${host}が読みます。外には何も出ません。`,
  kept: (n) => `非公開の${n0(n)}件は送られません。`,
  clear: "通信は暗号化されません。",
  yes: (host) => `${host}へ送る`,
  lead: (n, host) =>
    `${n0(n)}件を学びます。問いは${host}が書き、ほかはすべてこのパソコンの中で行います。`,
  worded: (n, of, host) =>
    `${host}が${n0(of)}件のうち${n0(n)}件の問いを書きました。残りは決まりに従って書きました。`,
  wordedAll: (of, host) => `${host}が${n0(of)}件すべての問いを書きました。`,
  gaveUp: "途中で頼むのをやめました：",
  gaveUpShort: "正しく答えなかったため、途中で頼むのをやめました。",
  sent: (n, host) => `${host}へ${n0(n)}文`,
  sentRows: (n, host) => `${host}へ問いと答え${n0(n)}組`,
  both: (one, other) => `${one}と${other}`,
  thinker: "考えるモデル",
  thought: (n, of, who) =>
    `${who}が${n0(of)}行のうち${n0(n)}行の考えを書きました。残りは決まりに従って書きました。`,
  thoughtAll: (of, who) => `${who}が${n0(of)}行すべての考えを書きました。`,
};
