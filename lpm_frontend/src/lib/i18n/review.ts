/** The sentences of going through suggestions, in the language in use; fetched with that page. */
import { useLanguage } from ".";

const count = (n: number): string => n.toLocaleString("en");
const suggestions = (n: number): string => (n === 1 ? "1 suggestion" : `${count(n)} suggestions`);

export const reviewEn = {
  title: "Suggestions",
  back: "Today",
  lead: "Kept ones become memories. Dismissed ones are not suggested again; answers can still use them.",
  loading: "Looking through your documents",
  list: "Suggestions that wait",
  progress: (done: number, all: number, more: boolean) =>
    more ? `${count(done)} of more than ${count(all)}` : `${count(done)} of ${count(all)}`,
  meter: "How far you are",
  keep: "Keep",
  dismiss: "Dismiss",
  undo: "Undo",
  keepOne: (said: string) => `Keep: ${said}`,
  dismissOne: (said: string) => `Dismiss: ${said}`,
  select: (said: string) => `Select: ${said}`,
  openOne: (said: string, where: string) => `${said} Open the source: ${where}`,
  keepAll: (n: number) => `Keep all ${count(n)} shown`,
  dismissAll: (n: number) => `Dismiss all ${count(n)} shown`,
  chosen: (n: number) => `${count(n)} selected`,
  unchoose: "Deselect",
  bar: "Decide about several",
  did: {
    keep: (n: number) => `Kept ${suggestions(n)}`,
    dismiss: (n: number) => `Dismissed ${suggestions(n)}`,
  },
  told: (what: string, progress: string) => `${what}. ${progress}.`,
  tookBack: (n: number) => `${suggestions(n)} ${n === 1 ? "waits" : "wait"} again`,
  standing: {
    saving: "saving",
    keep: "kept",
    dismiss: "dismissed",
    failed: "not saved",
    gone: "no longer there",
    changed: "decided otherwise since",
  },
  elsewhere: {
    keep: "kept elsewhere",
    dismiss: "dismissed elsewhere",
    forget: "forgotten elsewhere",
    mend: "corrected elsewhere",
  },
  notSaved: (n: number) =>
    n === 1
      ? "1 decision is not saved. The suggestion still waits."
      : `${count(n)} decisions are not saved. The suggestions still wait.`,
  next: "Show more",
  pageDone: "All on this page are decided.",
  end: "That was all.",
  endLeft: (n: number) => `That was all. ${suggestions(n)} left open.`,
  again: "Show what is left open",
  older: "Older documents have not been looked through yet.",
  olderDo: "Look through older documents",
  empty: "No suggestions wait",
  emptyHint:
    "They are sentences from your documents in which you speak of yourself or of others. Add documents, and new ones appear here.",
  choose: "Open a suggestion to read it in its document.",
  keys: "Keys: j and k move, a keeps, d dismisses, u undoes. With Shift, arrow keys select several.",
};
export const reviewJa: typeof reviewEn = {
  title: "提案",
  back: "今日",
  lead: "残したものは記憶になります。見送ったものはもう提案されませんが、答えには使われます。",
  loading: "資料に目を通しています",
  list: "判断を待つ提案",
  progress: (done, all, more) =>
    more ? `${count(all)}件以上のうち${count(done)}件` : `${count(all)}件のうち${count(done)}件`,
  meter: "進み具合",
  keep: "残す",
  dismiss: "見送る",
  undo: "元に戻す",
  keepOne: (said) => `残す：${said}`,
  dismissOne: (said) => `見送る：${said}`,
  select: (said) => `選択：${said}`,
  openOne: (said, where) => `${said} 根拠を開く：${where}`,
  keepAll: (n) => `表示中の${count(n)}件をすべて残す`,
  dismissAll: (n) => `表示中の${count(n)}件をすべて見送る`,
  chosen: (n) => `${count(n)}件を選択中`,
  unchoose: "選択を解除",
  bar: "まとめて判断",
  did: {
    keep: (n) => `提案を${count(n)}件残しました`,
    dismiss: (n) => `提案を${count(n)}件見送りました`,
  },
  told: (what, progress) => `${what}。${progress}。`,
  tookBack: (n) => `${count(n)}件の提案が判断待ちに戻りました`,
  standing: {
    saving: "保存中",
    keep: "残した",
    dismiss: "見送った",
    failed: "未保存",
    gone: "もうありません",
    changed: "その後に変更された",
  },
  elsewhere: {
    keep: "別の画面で残した",
    dismiss: "別の画面で見送った",
    forget: "別の画面で忘れた",
    mend: "別の画面で直した",
  },
  notSaved: (n) => `${count(n)}件の判断が保存されていません。提案はそのまま残っています。`,
  next: "続きを表示",
  pageDone: "このページはすべて判断しました。",
  end: "これで全部です。",
  endLeft: (n) => `これで全部です。${count(n)}件が判断待ちのままです。`,
  again: "判断待ちのものを表示",
  older: "古い資料にはまだ目を通していません。",
  olderDo: "古い資料に目を通す",
  empty: "判断を待つ提案はありません",
  emptyHint:
    "提案は、資料の中であなたが自分や誰かについて語っている文です。資料を追加すると、ここに並びます。",
  choose: "提案を開くと、資料の中の場所を読めます。",
  keys: "キー：jとkで移動、aで残す、dで見送る、uで元に戻す。Shiftと矢印キーで複数を選択。",
};

export const useReviewText = (): typeof reviewEn => (useLanguage() === "ja" ? reviewJa : reviewEn);
