/** The sentences of the page of what fades, in the language in use; fetched with it. */
import { useLanguage } from ".";

const count = (n: number): string => n.toLocaleString("en");

export const fadingEn = {
  lead: "What is not used fades. It is still found when you ask for it, and nothing is deleted. Until you bring it back it is not suggested, not proposed for memory.md and not taught in a training.",
  loading: "Loading what fades",
  chats: "Told in conversations",
  chatsHint:
    "What you tell is recent for a day and then weighed in the archive. From a week on, the most salient 70 % are chosen and held, and the newest are suggested to keep; what is not chosen fades after a month.",
  tiers: {
    session: "Recent",
    archive: "Archive",
    consolidated: "Held",
    fading: "Fading",
  },
  tierMeans: {
    session: "the last 24 hours",
    archive: "weighed, up to a month",
    consolidated: "the newest are suggested to keep",
    fading: "found when asked for",
  },
  show: "Show",
  noneTold: {
    session: "Nothing was told in the last 24 hours.",
    archive: "Nothing waits in the archive.",
    consolidated: "Nothing is held yet. It is chosen a week after it was told.",
    fading: "Nothing that you told in conversations fades.",
  },
  memories: "Memories",
  noneFading: "No memory fades. One that is never used fades after 97 days.",
  unused: (noted: string) => `Noted ${noted}, never used since`,
  used: (days: number, last: string) =>
    days === 1 ? `Used on one day, ${last}` : `Used on ${count(days)} days, last ${last}`,
  fadedOn: (day: string) => `faded ${day}`,
  fadesOn: (day: string) => `fades ${day}`,
  strength: (percent: number) => `Held ${count(percent)} %`,
  salience: (percent: number) => `Salience ${count(percent)} %`,
  unweighed: "Weighed a day after the conversation",
  parts: {
    emotion: "Feeling",
    novelty: "New",
    relation: "People",
    repetition: "Repeated",
  },
  part: (name: string, percent: number) => `${name} ${count(percent)} %`,
  curve: "How it fades",
  bringBack: "Bring back",
  broughtBack: "Brought back",
  memoryBack: "The memory was brought back",
  pin: "Pin",
  pinned: "Pinned: it never fades",
  letGo: "Let go",
  letGone: "The memory was let go",
  letFade: "Let fade",
  fades: "It fades",
  chat: "Open the conversation",
  untitled: "Untitled conversation",
  more: "Show more",
  empty: "Nothing fades yet",
  emptyHint:
    "Memories that are not used for about three months appear here, and what you told in conversations that mattered least.",
};
export const fadingJa: typeof fadingEn = {
  lead: "使われないものは、少しずつ薄れます。尋ねれば今までどおり見つかり、何も削除されません。呼び戻すまで、候補にも memory.md の提案にも学習にも使われません。",
  loading: "薄れているものを読み込んでいます",
  chats: "会話で話したこと",
  chatsHint:
    "話したことは一日のあいだ「最近」にあり、その後、保管庫で重みが量られます。一週間たつと重要な70％が選ばれて定着し、そのうち新しいものが記憶の候補になります。選ばれなかったものは一か月後に薄れます。",
  tiers: {
    session: "最近",
    archive: "保管庫",
    consolidated: "定着",
    fading: "薄れている",
  },
  tierMeans: {
    session: "この24時間",
    archive: "重みを量って最長1か月",
    consolidated: "新しいものは記憶の候補になる",
    fading: "尋ねれば見つかる",
  },
  show: "表示",
  noneTold: {
    session: "この24時間に話したことはありません。",
    archive: "保管庫にあるものはありません。",
    consolidated: "定着したものはまだありません。話した一週間後に選ばれます。",
    fading: "会話で話したことで薄れているものはありません。",
  },
  memories: "記憶",
  noneFading: "薄れている記憶はありません。一度も使われない記憶は97日で薄れます。",
  unused: (noted) => `${noted}に記録、その後使われていません`,
  used: (days, last) => `${count(days)}日使われました。最後は${last}`,
  fadedOn: (day) => `${day}に薄れました`,
  fadesOn: (day) => `${day}に薄れます`,
  strength: (percent) => `強さ ${count(percent)}％`,
  salience: (percent) => `重み ${count(percent)}％`,
  unweighed: "会話の一日後に重みが量られます",
  parts: {
    emotion: "感情",
    novelty: "新しさ",
    relation: "人との近さ",
    repetition: "くり返し",
  },
  part: (name, percent) => `${name} ${count(percent)}％`,
  curve: "薄れ方",
  bringBack: "呼び戻す",
  broughtBack: "呼び戻しました",
  memoryBack: "記憶を呼び戻しました",
  pin: "ピン留め",
  pinned: "ピン留めしました。薄れません",
  letGo: "手放す",
  letGone: "記憶を手放しました",
  letFade: "薄れさせる",
  fades: "薄れていきます",
  chat: "会話を開く",
  untitled: "無題の会話",
  more: "さらに表示",
  empty: "まだ薄れているものはありません",
  emptyHint:
    "およそ三か月使われなかった記憶と、会話で話したことのうち重みの小さいものが、ここに並びます。",
};

export const useFadingText = (): typeof fadingEn => (useLanguage() === "ja" ? fadingJa : fadingEn);
