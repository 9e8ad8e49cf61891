/** The sentences of the page that says who can reach what, in Japanese. */
import type { Widen } from "./en";
import type { exposureEn } from "./en-exposure";

const count = (n: number): string => n.toLocaleString("ja");

export const exposureJa: Widen<typeof exposureEn> = {
  exposure: {
    lead: "このノードへのすべての入口と、誰がいつから使えるか。文章の送り先。これまでに外部へ送ったもの。",
    loading: "すべての入口を確認しています",
    only: "使えるのは、このパソコンの前のあなただけです。",
    onlyAnywhere: "使えるのはあなただけです。ほかの機器からも使えます。",
    some: (programs, people, elsewhere) =>
      [
        programs > 0 ? `キーを持つプログラムは${count(programs)}個` : "",
        people > 0 ? `質問できる連絡先は${count(people)}人` : "",
        elsewhere > 0 ? `文章の送り先になる外部のモデルは${count(elsewhere)}個` : "",
      ]
        .filter((part) => part !== "")
        .join("、") + "です。",
    left: (size, answers) =>
      answers > 0
        ? `外部に${size}を送りました。うち連絡先への答えは${count(answers)}件です。`
        : `外部に${size}を送りました。`,
    nothingLeft: "外部に送ったものはありません。",
    again: "もう一度確認",
    lookedAt: (time) => `${time}現在`,
    since: (moment) => `${moment}から`,
    used: (moment) => `最終使用：${moment}`,
    unused: "未使用",
    usedUnknown: "最終使用は不明",
    asked: (moment) => `最後の質問：${moment}`,
    unasked: "質問はまだありません",
    until: (day) => `${day}まで`,
    gone: (name) => `${name}：今から有効です。`,

    listens: "開いているポート",
    listensLead: "OSから見た、このノードが開いているすべてのポートです。",
    parts: {
      screens: "画面とAPI",
      contacts: "連絡先向け",
      model: "モデル（ノードの中だけで使用）",
      other: "ノードのほかの部分",
    },
    alone: "このパソコンからのみ",
    everywhere: "ほかのコンピューターからも",
    everyInterface: (port) => `すべてのインターフェース、ポート${port}`,
    needsKey: "キーか、ログインしたブラウザーが必要です",
    needsGrant: "入れるのは連絡先だけ。尋ねられることは許可で決まります",
    needsOwn: "このホームだけが持つ鍵で開きます",
    noContacts: "連絡先向けのポートは開いていません。",
    noContactsHint: "ほかのコンピューターの人は、このノードに接続できません。",
    open: "連絡先が接続できるようにする",
    addresses: "アドレス",
    fingerprint: "証明書のフィンガープリント（SHA-256）",
    fingerprintHint:
      "この証明書には第三者の署名がないため、ほかの機器のブラウザーは最初に警告します。表示される値がこれと同じであることを確かめてから許可してください。",
    stopListening: "待ち受けをやめる",
    stopped: "連絡先はもう接続できません",
    stopNode: "停止するには",
    none: "開いているポートをOSから取得できません。",

    here: "このパソコンの中",
    hereLead:
      "このパソコンからノードを使えるもの。非公開のものまで見えるプログラムは、「すべてを変更する」キーを持つものだけです。",
    command: "lpmコマンドと、ノードの各部分",
    commandWith:
      "ホームの中の秘密鍵を使います。読めるのはあなたのユーザーアカウントだけで、何でもできます",
    mayDo: (scopes) => `できること：${scopes}`,
    programs: "キーを持つプログラム",
    noPrograms: "キーを持つプログラムはありません。",
    makeKey: "キーを作る",
    browsers: "ログインしているブラウザー",
    noBrowsers: "ログインしているブラウザーはありません。",
    browser: "ブラウザー",
    thisOne: "このブラウザー",
    browserMay: "何でもできます",
    revoke: "取り消す",
    revokeOf: (name) => `${name}のキーを取り消す`,
    signOut: "ログアウト",
    signOutOthers: "ほかをすべてログアウト",
    signOutOf: (name) => `ログアウト：${name}`,

    people: "ほかの人",
    peopleLead: "連絡先は自分のノードを通して、許可の範囲内でのみ、あなたの分身に質問できます。",
    noPeople: "連絡先はいません。",
    invite: "招待する",
    nothingGranted: "許可がないので、質問はすべて断ります。",
    may: (verbs, tags) => `${tags}について、${verbs}ことができます`,
    covers: (rows) => `いま${count(rows)}件が範囲内`,
    purpose: (words) => `目的は「${words}」`,
    revokeGrant: (name, purpose) => `${name}さんへの許可「${purpose}」を取り消す`,
    openInvite: (label) => (label === "" ? "使われていない招待" : `使われていない招待：${label}`),
    inviteMeans: "リンクを持つ人が、一度だけ連絡先になれます。それだけでは何も尋ねられません。",
    withdraw: "取り下げる",
    withdrawOf: (label) => `招待を取り下げる：${label}`,

    elsewhere: "外部のモデル",
    elsewhereLead: "あなたの文章の送り先になっている、ほかのコンピューターのモデル。",
    noElsewhere: "ありません。文章を読むものは、すべてこのパソコンで動いています。",
    what: {
      model: "質問とその根拠の送り先：",
      thinking: "非公開のものを含まない学習の行（考えを書くため）の送り先：",
      embedder: "質問と、非公開でない資料の本文の送り先：",
    },
    byHand: "settings.tomlに直接書かれています",
    choose: "ほかを選ぶ",
    chooseOf: (host) => `${host}の代わりにほかを選ぶ`,

    went: "これまでに外部へ送ったもの",
    wentLead: "このホームを作ってからの合計です。サイズと日時だけを記録し、内容は残しません。",
    to: "送り先",
    whatWent: "内容",
    size: "サイズ",
    last: "最終",
    answers: (n) => (n === 0 ? "答えはなし（挨拶と受領のみ）" : `答え${count(n)}件`),
    prompts: (n) => `プロンプト${count(n)}件`,
    texts: (n) => `本文の送信${count(n)}回`,
    forgotten: "削除した連絡先",
    notKnown: "不明",
    rest: "そのほか",
    restNothing: "なし",
    log: "日ごとの通信の記録",
    activity: "すべてのアクティビティ",
  },
};
