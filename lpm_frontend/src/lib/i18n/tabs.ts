/**
 * The names of Memory's tabs, in the language in use: apart from `places.ts`, which is fetched with
 * a tab that needs it.
 */
import { useLanguage } from ".";

export const tabsEn = {
  tabs: {
    label: "Views",
    today: "Today",
    map: "Map",
    timeline: "Timeline",
    pages: "Pages",
    opinions: "Opinions",
    biography: "Biography",
    profile: "Profile",
    fading: "Fading",
    files: "Files",
  },
};
export const tabsJa: typeof tabsEn = {
  tabs: {
    label: "表示",
    today: "今日",
    map: "地図",
    timeline: "年表",
    pages: "ページ",
    opinions: "考え",
    biography: "自分史",
    profile: "プロフィール",
    fading: "薄れるもの",
    files: "ファイル",
  },
};

export const useTabsText = (): typeof tabsEn => (useLanguage() === "ja" ? tabsJa : tabsEn);
