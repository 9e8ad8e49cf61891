/** The Japanese of `en-places.ts`. */
import type { placesEn } from "./en-places";

const count = (n: number): string => n.toLocaleString("ja");

export const placesJa: typeof placesEn = {
  tabs: { label: "見かた", today: "今日", map: "地図", timeline: "年表", pages: "ページ" },
  common: {
    asTable: "表で見る",
    asPicture: "図で見る",
    more: "もっと見る",
    private: "非公開",
    openPlace: (where) => `その箇所を開く：${where}`,
  },
  timeline: {
    loading: "日々を数えています",
    title: "一年の日々",
    days: (n) => `何かのある日：${count(n)}日`,
    less: "少ない",
    moreOf: "多い",
    year: "年",
    yearBefore: "前の年",
    yearAfter: "次の年",
    grid: (year) => `${String(year)}年の日々。矢印キーで一日ずつ、一週間ずつ動きます`,
    square: (date, passages, statements) => `${date}：${passages === 0 ? "なし" : `文章${count(passages)}件`}${statements === 0 ? "" : `、記憶${count(statements)}件`}`,
    undated: (n) => `日付のわからない文章が${count(n)}件あり、どの日にも入っていません。`,
    span: "見る長さ",
    spans: { day: "日", week: "週", month: "月" },
    week: (from, to) => `${from}から${to}`,
    told: (passages, statements, documents) => `資料${count(documents)}件から文章${count(passages)}件${statements === 0 ? "" : `、うち記憶${count(statements)}件`}。`,
    names: (names) => `${names}のことが書かれています。`,
    saidBy: (name) => `${name}の言葉`,
    others: (n) => `ほか${count(n)}件`,
    ask: { day: "この日のことを尋ねる", week: "この週のことを尋ねる", month: "この月のことを尋ねる" },
    question: { day: (when) => `${when}に何がありましたか。`, week: (when) => `${when}までに何がありましたか。`, month: (when) => `${when}に何がありましたか。` },
    nothing: { day: "この日には何もありません。", week: "この週には何もありません。", month: "この月には何もありません。" },
    choose: "文か資料を選ぶと、その箇所をここで読めます。",
    empty: "まだどの日にも何もありません。",
    emptyHint: "日記、手紙、会話、写真は日付を持っています。日付のない資料には、書庫で付けられます。",
    library: "書庫を開く",
    table: (year) => `${String(year)}年の日々`,
    columns: { day: "日", passages: "文章", statements: "記憶" },
  },
};
