/** The sentences of the page that says who can reach what, in Japanese. */
import type { Widen } from "./en";
import type { exposureEn } from "./en-exposure";

const count = (n: number): string => n.toLocaleString("ja");

export const exposureJa: Widen<typeof exposureEn> = {
  exposure: {
    lead: "この本体への入口のすべてと、それが誰に、いつから開いているか。文章の送り先。そして、これまでに外へ出たもの。",
    loading: "入口をすべて見ています",
    only: "触れられるのは、この機械の前のあなただけです。",
    some: (programs, people, elsewhere) =>
      [
        programs > 0 ? `キーを持つプログラムは${count(programs)}個` : "",
        people > 0 ? `尋ねられる連絡先は${count(people)}人` : "",
        elsewhere > 0 ? `文章の送り先になる外のモデルは${count(elsewhere)}個` : "",
      ]
        .filter((part) => part !== "")
        .join("、") + "です。",
    left: (size, answers) =>
      answers > 0
        ? `${size}が外に出ました。うち連絡先への答えは${count(answers)}件です。`
        : `${size}が外に出ました。`,
    nothingLeft: "外に出たものはありません。",
    again: "もう一度見る",
    lookedAt: (time) => `${time}現在`,
    since: (moment) => `${moment}から`,
    used: (moment) => `最後に使われたのは${moment}`,
    unused: "まだ使われていません",
    usedUnknown: "最後に使われた時は不明",
    asked: (moment) => `最後に尋ねたのは${moment}`,
    unasked: "まだ尋ねていません",
    until: (day) => `${day}まで`,
    gone: (name) => `${name}：今から効きます。`,

    listens: "待ち受け",
    listensLead: "この本体が開いているポートのすべて。OSから見えるとおりに並べます。",
    parts: {
      screens: "画面とAPI",
      contacts: "連絡先向け",
      model: "モデル（本体の中だけで使用）",
      other: "本体のほかの部分",
    },
    alone: "この機械からだけ",
    everywhere: "ほかの機械からも",
    everyInterface: (port) => `すべてのインターフェース、ポート${port}`,
    needsKey: "キーか、ログインしたブラウザーが必要です",
    needsGrant: "入れるのは連絡先だけ。尋ねられることは許可で決まります",
    needsOwn: "このホームだけが持つ鍵で開きます",
    noContacts: "連絡先向けの待ち受けはありません。",
    noContactsHint: "ほかの機械から、この本体には届きません。",
    open: "連絡先から届くようにする",
    addresses: "アドレス",
    stopListening: "待ち受けをやめる",
    stopped: "連絡先からの待ち受け",
    stopNode: "止めるには",
    none: "待ち受けの様子を、OSが見せてくれません。",

    here: "この機械の中",
    hereLead:
      "ここから本体を呼べるもの。プログラムのうち非公開のものまで見えるのは、「すべてを変える」キーを持つものだけです。",
    command: "lpmコマンドと、本体の各部分",
    commandWith: "ホームの中の秘密の鍵を使います。読めるのはあなたのユーザーだけで、何でもできます",
    mayDo: (scopes) => `できること：${scopes}`,
    programs: "キーを持つプログラム",
    noPrograms: "キーを持つプログラムはありません。",
    makeKey: "キーを作る",
    browsers: "ログインしているブラウザー",
    noBrowsers: "ログインしているブラウザーはありません。",
    browser: "ブラウザー",
    thisOne: "この画面",
    browserMay: "何でもできます",
    revoke: "取り消す",
    revokeOf: (name) => `${name}のキーを取り消す`,
    signOut: "ログアウト",
    signOutOthers: "ほかをすべてログアウト",
    signOutOf: (name) => `ログアウト：${name}`,

    people: "ほかの人",
    peopleLead: "連絡先は自分の本体を通して、許可の範囲でだけ、あなたの分身に尋ねられます。",
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

    elsewhere: "外のモデル",
    elsewhereLead: "あなたの文章が送られる、ほかの機械のモデル。",
    noElsewhere: "ありません。文章を読むものは、すべてこの機械で動いています。",
    what: {
      model: "質問とその根拠の送り先：",
      embedder: "質問と、非公開でない資料の本文の送り先：",
    },
    byHand: "settings.tomlに直接書かれています",
    choose: "ほかを選ぶ",
    chooseOf: (host) => `${host}のほかを選ぶ`,

    went: "これまでに外へ出たもの",
    wentLead: "このホームができてからの合計です。大きさと時だけで、中身の言葉は残しません。",
    to: "送り先",
    whatWent: "内容",
    size: "大きさ",
    last: "最後",
    answers: (n) => (n === 0 ? "答えはなし（挨拶と受領のみ）" : `答え${count(n)}件`),
    prompts: (n) => `モデルへの問いかけ${count(n)}回`,
    texts: (n) => `本文の送信${count(n)}回`,
    forgotten: "消した連絡先",
    notKnown: "もうわかりません",
    rest: "そのほか",
    restNothing: "なし",
    log: "日ごとの記録（通信の記録）",
    activity: "ホームに起きたことのすべて",
  },
};
