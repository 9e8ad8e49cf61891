/** The Japanese of `en-frame.ts`. */
import type { Text } from "./en";
import type { enFrame } from "./en-frame";

const count = (n: number): string => n.toLocaleString("ja");

export const frameJa: Pick<Text, keyof typeof enFrame> = {
  reading: { text: "本文" },
  tray: {
    left: (seconds) =>
      seconds < 90 ? `あと約${count(seconds)}秒` : `あと約${count(Math.round(seconds / 60))}分`,
    lately: (n) => `この一日に${count(n)}件終わりました`,
  },
  outcomes: {
    import: (documents, conversations, known, erased) =>
      `資料${count(documents)}件と会話${count(conversations)}件を取り込みました。${known > 0 ? `資料${count(known)}件はすでにありました。` : ""}${erased > 0 ? `ここで消した${count(erased)}件は除きました。` : ""}`,
    backup: (documents) => `資料${count(documents)}件`,
    export: (documents, conversations) =>
      `資料${count(documents)}件と会話${count(conversations)}件`,
    of: (done, all, unit) => `全${all}${unit}のうち${done}${unit}`,
  },
  found: {
    "database-whole": ([name]) => `${name ?? ""}は無事です。`,
    "database-damaged": ([name]) =>
      `${name ?? ""}が壊れています。lpm restore newest で控えから戻せます。`,
    "originals-whole": ([whole, all]) =>
      `原本${all ?? 0}件のうち${whole ?? 0}件は、受け取ったままです。`,
    "original-lost": ([name]) =>
      `「${name ?? ""}」の原本がないか、壊れています。無事な控えもありません。もう一度加えてください。`,
    "original-in-backup": ([name, backup]) =>
      `「${name ?? ""}」の原本がないか、壊れています。控え${backup ?? ""}から戻せます。`,
    "original-brought-back": ([name, backup]) =>
      `「${name ?? ""}」の原本を、控え${backup ?? ""}から戻しました。`,
    "archive-unnoted": ([name]) => `「${name ?? ""}」から何を取り出したかの控えがありません。`,
    "text-unreadable": ([name]) =>
      `「${name ?? ""}」は前に読めましたが、いまは読めません。lpm doctor で足りないものがわかります。`,
    "text-other": ([name]) => `「${name ?? ""}」の本文がないか、原本と合いません。`,
    "index-whole": ([whole, all]) =>
      `資料${all ?? 0}件のうち${whole ?? 0}件は、本文のとおり索引にあります。`,
    "index-gone": ([gone]) => `索引に、もうない資料が${gone ?? 0}件残っています。`,
    "index-other": ([name]) => `「${name ?? ""}」の索引が本文と合いません。`,
    "citations-open": ([opened, deleted]) =>
      `引用${opened ?? 0}件が、引いた言葉の場所で開きます。消した資料からの引用は${deleted ?? 0}件です。`,
    "citations-lost": ([lost]) => `引用${lost ?? 0}件が開けません。引いた版の本文がありません。`,
    "audit-holds": () => "出来事の鎖はつながっています。",
    "audit-broken": ([number]) =>
      `出来事の鎖が${number ?? ""}番目で切れています。控えには元のまま残っています。`,
  },
  facts: {
    documents: ([n]) => `資料${count(Number(n))}件`,
    conversations: ([n]) => `会話${count(Number(n))}件`,
    backup: ([id]) => `控え${id ?? ""}`,
    label: ([label]) => label ?? "",
    private: () => "非公開のものも",
    continues: () => "鎖は続いています",
    erased: ([n]) => `あとで消した${count(Number(n))}件を除きました`,
    scopes: (scopes) => `できること：${scopes.join("、")}`,
    settings: (names) => names.join("、"),
    host: ([host]) => host ?? "",
    bytes: ([n]) => `${count(Number(n))}バイト`,
    why: ([why]) => why ?? "",
    to: ([to]) => to ?? "",
  },
  factWords: {
    asked: "手動",
    scheduled: "自動",
    "before-restore": "戻す直前",
    bundled: "付属のもの",
    endpoint: "接続先",
    file: "ファイル",
    none: "なし",
    hashing: "試験用の代役",
    scripted: "台本の代役",
    single_keys: "一つのキー",
    theme: "明るさ",
    language: "言葉",
    model: "モデル",
    embedder: "意味の読み手",
    chat: "尋ねる",
    recall: "探す",
    write: "加える",
    admin: "すべてを変える",
  },
  findings: {
    title: (n) => `${count(n)}件、見つかりました。`,
    lead: "合っているものは残してください。ここで直したことは、二度と推測で上書きしません。",
    allDecided: "見つかったことは、すべて決めてあります。",
    askFirst: "たとえば、こう尋ねられます",
    keep: "残す",
    mend: "直す",
    forget: "忘れる",
    mendLabel: "正しくは",
    mendDo: "直す",
    mendNot: "そのままにする",
    did: { keep: "残しました。", mend: "直しました。", forget: "忘れました。" },
  },
  sample: {
    detail:
      "金沢で弦楽器を修復するソレル凪の、日記と手紙とメールです。あなたのものとは別の場所に開き、混ざることはありません。",
    asking: "様子を見ています",
    absent: "この版には入っていません。リポジトリーの写しで、次の命令を打ってください：",
    begin: "開いてみる",
    starting: "別の場所に開いて、手紙を読んでいます",
    running: (address) => `${address} で動いています。`,
    open: "そちらへ行く",
    end: "閉じる",
    home: "置き場所：",
  },
};
