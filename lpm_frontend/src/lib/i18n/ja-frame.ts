/** The Japanese of `en-frame.ts`. */
import type { Text } from "./en";
import type { enFrame } from "./en-frame";

const count = (n: number): string => n.toLocaleString("ja");

export const frameJa: Pick<Text, keyof typeof enFrame> = {
  reading: { text: "本文" },
  tray: {
    left: (seconds) =>
      seconds < 90 ? `あと約${count(seconds)}秒` : `あと約${count(Math.round(seconds / 60))}分`,
    lately: (n) => `今日は${count(n)}件完了しました`,
  },
  outcomes: {
    import: (documents, conversations, known, erased) =>
      `資料${count(documents)}件と会話${count(conversations)}件を取り込みました。${known > 0 ? `資料${count(known)}件はすでにありました。` : ""}${erased > 0 ? `ここで消去した${count(erased)}件は除きました。` : ""}`,
    people: (contacts, tables) =>
      `連絡先${count(contacts)}件と円卓${count(tables)}件を取り込みました。`,
    strangers: (n) =>
      `連絡先${count(n)}件は、このノードとは別のIDの知り合いです。もう一度招待してください。`,
    grantsOver: (n) =>
      `与えた許可${count(n)}件は、ここでは終了しています。必要なら、もう一度与えてください。`,
    tablesOpen: (n) => `閉じていない円卓${count(n)}件は除きました。`,
    peopleErased: (n) => `ここで削除した連絡先と円卓${count(n)}件は除きました。`,
    backup: (documents) => `資料${count(documents)}件`,
    export: (documents, conversations) =>
      `資料${count(documents)}件と会話${count(conversations)}件`,
    of: (done, all, unit) => `全${all}${unit}のうち${done}${unit}`,
  },
  found: {
    "database-whole": ([name]) => `${name ?? ""}は無事です。`,
    "database-damaged": ([name]) =>
      `${name ?? ""}が壊れています。lpm restore newest でバックアップから戻せます。`,
    "originals-whole": ([whole, all]) =>
      `原本${all ?? 0}件のうち${whole ?? 0}件は、受け取ったままです。`,
    "original-lost": ([name]) =>
      `「${name ?? ""}」の原本がないか、壊れています。無事なバックアップもありません。もう一度追加してください。`,
    "original-in-backup": ([name, backup]) =>
      `「${name ?? ""}」の原本がないか、壊れています。バックアップ${backup ?? ""}から戻せます。`,
    "original-brought-back": ([name, backup]) =>
      `「${name ?? ""}」の原本を、バックアップ${backup ?? ""}から戻しました。`,
    "archive-unnoted": ([name]) => `「${name ?? ""}」から何を取り出したかの記録がありません。`,
    "text-unreadable": ([name]) =>
      `「${name ?? ""}」は前に読めましたが、いまは読めません。lpm doctor で足りないものがわかります。`,
    "text-other": ([name]) => `「${name ?? ""}」の本文がないか、原本と合いません。`,
    "index-whole": ([whole, all]) =>
      `資料${all ?? 0}件のうち${whole ?? 0}件は、本文のとおり索引にあります。`,
    "index-gone": ([gone]) => `索引に、もうない資料が${gone ?? 0}件残っています。`,
    "index-other": ([name]) => `「${name ?? ""}」の索引が本文と合いません。`,
    "citations-open": ([opened, deleted]) =>
      `引用${opened ?? 0}件が、引いた言葉の場所で開きます。削除した資料からの引用は${deleted ?? 0}件です。`,
    "citations-lost": ([lost]) => `引用${lost ?? 0}件が開けません。引いた版の本文がありません。`,
    "audit-holds": () => "アクティビティの記録は、最初から最後までつながっています。",
    "audit-broken": ([number]) =>
      `アクティビティの記録が${number ?? ""}番目で途切れています。バックアップには元のまま残っています。`,
  },
  facts: {
    documents: ([n]) => `資料${count(Number(n))}件`,
    conversations: ([n]) => `会話${count(Number(n))}件`,
    backup: ([id]) => `バックアップ${id ?? ""}`,
    label: ([label]) => label ?? "",
    private: () => "非公開のものを含む",
    continues: () => "記録は続いています",
    erased: ([n]) => `その後に消去した${count(Number(n))}件を除きました`,
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
    "before-restore": "復元の直前",
    bundled: "付属のもの",
    endpoint: "接続先",
    file: "ファイル",
    none: "なし",
    hashing: "テスト用の代替",
    scripted: "台本どおりの代替",
    single_keys: "1キーのショートカット",
    theme: "テーマ",
    language: "言語",
    model: "モデル",
    embedder: "埋め込みモデル",
    chat: "尋ねる",
    recall: "検索する",
    write: "追加",
    admin: "すべてを変更する",
  },
  findings: {
    title: (n) => `${count(n)}件、見つかりました。`,
    lead: "合っているものは残してください。ここで直したことが、推測で上書きされることはありません。",
    allDecided: "見つかったものは、すべて確認済みです。",
    askFirst: "たとえば、こう尋ねられます",
    keep: "残す",
    mend: "直す",
    forget: "忘れる",
    mendLabel: "正しい文",
    mendDo: "修正を保存",
    mendNot: "キャンセル",
    did: {
      keep: "残しました。",
      mend: "直しました。",
      forget: "忘れました。",
      dismiss: "見送りました。",
    },
  },
  sample: {
    detail:
      "金沢で弦楽器を修復するソレル凪の、日記と手紙とメールです。あなたのものとは別の場所に開き、混ざることはありません。",
    asking: "確認しています",
    absent: "この版には入っていません。リポジトリーのクローンで、次のコマンドを実行してください：",
    begin: "開いてみる",
    starting: "別の場所に開いて、手紙を読んでいます",
    running: (address) => `${address} で動いています。`,
    open: "そちらへ行く",
    end: "閉じる",
    home: "置き場所：",
  },
};
