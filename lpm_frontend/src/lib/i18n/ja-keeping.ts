/** The Japanese of `en-keeping.ts`. */
import type { Text } from "./en";
import type { enKeeping } from "./en-keeping";

export const keepingJa: Pick<Text, keyof typeof enKeeping> = {
  keeping: {
    part: "ここから話題を分ける",
    parted: "ここから話題を分けました",
    join: "上の話題とまとめる",
    joined: "上の話題とまとめました",
    title: "この会話で残すもの",
    tool: { full: "すべて残す", summary: "要約だけ残す", none: "プライベート" },
    newTitle: "会話",
    newLead: "新しい会話で残すもの。会話ごとに変えられます。",
    names: { full: "すべて", summary: "要約だけ", none: "何も残さない（プライベート）" },
    means: {
      full: "削除するまで、すべての言葉が残ります。話したことは記憶になります。",
      summary:
        "10分間発言がないか、別の会話に移ると、区切りごとに最大6文がそのままの言葉で残り、ほかの言葉は捨てられます。記憶になるのは、残った文だけです。答えを訂正した内容は残ります。",
      none: "話したことは記憶になりません。会話を離れたとき、10分間発言がないとき、またはノードが再起動したときに消去されます。",
    },
    band: {
      summary: "この会話では要約だけを残します。ほかの言葉は、最後の発言から10分後になくなります。",
      none: "プライベート：ここで話したことは記憶になりません。会話を離れるかページを再読み込みしたとき、または10分間発言がないときに消去されます。",
    },
    now: "現在",
    use: "これにする",
    cancel: "キャンセル",
    sure: {
      summary: (n: number) => `発言${n}件の言葉を、バックアップからも捨てます。元に戻せません。`,
      none: (n: number) =>
        `発言${n}件で話したことを、いま忘れます。会話は離れたときに、バックアップからも消去されます。元に戻せません。`,
    },
    lost: (n: number) => `なくなる言葉から残しておいた記憶${n}件も失われます。`,
    summariesToo: "要約も、いま忘れます。元に戻せません。",
    exports: "ダウンロード用に用意されたアーカイブは削除されます。",
    branches: "この会話から分かれた会話の内容は残ります。それぞれの会話で変更してください。",
    later: "これからの発言に適用されます。",
    discard: (n: number) => `発言${n}件の言葉を捨てる`,
    forget: "プライベートにする",
    newPrivate: "新しいプライベートな会話",
    marks: { summary: "要約だけ", none: "プライベート" },
    summary: "要約",
    onlySummaryOf: (n: number) => `発言${n}件：要約だけが残されています`,
    nothingKept: "残された言葉はありません。",
    kinds: {
      told: "話したこと",
      decided: "決めたこと",
      promised: "約束",
      asked: "質問",
      answered: "答え",
    },
    you: "あなた",
    self: "分身",
    open: "発言の場所へ",
  },
};
