import type { captureEn } from "./en-capture";

/** 記録を書く画面の文。 */
export const captureJa: typeof captureEn = {
  capture: {
    label: (day) => `今日 ${day}`,
    placeholder: "今日あったこと、考えていること",
    save: "保存する",
    saving: "保存しています",
    saved: "今日の記録を保存しました。",
    kept: "保存されるまで、書いたものはこのブラウザーに残ります。",
    folder: "日記",
    goingOn: "このごろのこと",
    days: { today: "今日", tomorrow: "明日" },
    lately: (name, day) => `${name}：${day}の記録に出てきます`,
    write: (name) => `${name}のことを書く`,
    open: (title) => `「${title}」の根拠を開く`,
    dictate: "音声入力",
    dictateStop: "音声入力を終える",
    dictating: "この端末で聞き取っています",
  },
};
