/** Where the palette leads: places, their tabs, sections of Settings, each with its names. */
import {
  BookOpen,
  Drama,
  Feather,
  MessageCircle,
  MessagesSquare,
  Search,
  Settings2,
  ShieldCheck,
  Sprout,
  Users,
  type LucideIcon,
} from "lucide-react";
import { en, type Widen } from "@/lib/i18n/en";
import { peopleEn } from "@/lib/i18n/en-people";
import { settingsEn } from "@/lib/i18n/en-settings";
import { trainingEn } from "@/lib/i18n/en-training";
import { ja } from "@/lib/i18n/ja";
import { peopleJa } from "@/lib/i18n/ja-people";
import { settingsJa } from "@/lib/i18n/ja-settings";
import { trainingJa } from "@/lib/i18n/ja-training";
import { GLOSSARY } from "@/lib/i18n/leads";
import { tabsEn, tabsJa } from "@/lib/i18n/tabs";

/** What is said in each language: an entry is found by either. */
export const EN = {
  ...en,
  ...settingsEn,
  ...tabsEn,
  peopleTabs: peopleEn.people.view,
  trainingTabs: trainingEn.place.view,
};
export type Words = Widen<typeof EN>;
export const JA: Words = {
  ...ja,
  ...settingsJa,
  ...tabsJa,
  peopleTabs: peopleJa.people.view,
  trainingTabs: trainingJa.place.view,
};
export const bothOf = (pick: (words: Words) => string): string => `${pick(EN)} ${pick(JA)}`;

export interface Lead {
  readonly id: string;
  readonly href: string;
  readonly icon: LucideIcon;
  readonly keys?: string;
  readonly words: (words: Words) => string;
  /** The place that it is a part of. */
  readonly of?: (words: Words) => string;
}

/** Everything that finds a lead, in both languages. */
export const foundBy = ({ id, words }: Lead): string =>
  `${bothOf(words)} ${GLOSSARY[id.replace(/^settings /, "")] ?? ""}`;

export const PLACES: readonly Lead[] = [
  { id: "chat", href: "/", icon: MessageCircle, keys: "1", words: (t) => t.places.chat },
  { id: "memory", href: "/memory", icon: Feather, keys: "2", words: (t) => t.places.memory },
  { id: "library", href: "/library", icon: BookOpen, keys: "3", words: (t) => t.places.library },
  { id: "training", href: "/training", icon: Sprout, keys: "4", words: (t) => t.places.training },
  { id: "people", href: "/people", icon: Users, keys: "5", words: (t) => t.places.people },
  { id: "table", href: "/table", icon: MessagesSquare, keys: "6", words: (t) => t.places.table },
  { id: "roles", href: "/roles", icon: Drama, keys: "7", words: (t) => t.places.roles },
  { id: "search", href: "/search", icon: Search, keys: "8", words: (t) => t.places.search },
  { id: "settings", href: "/settings", icon: Settings2, words: (t) => t.places.settings },
  { id: "exposure", href: "/exposure", icon: ShieldCheck, words: (t) => t.settings.exposure },
];

const MEMORY = [
  "today",
  "map",
  "timeline",
  "pages",
  "opinions",
  "biography",
  "profile",
  "files",
] as const;
const PEOPLE = ["contacts", "grants", "offers", "inbox", "network"] as const;
const TRAINING = ["scorecard", "versions", "inside"] as const;

/** The tabs of places, found by their names. */
const TABS: readonly Lead[] = [
  ...MEMORY.map((tab) => ({
    id: `memory ${tab}`,
    href: `/memory?view=${tab}`,
    icon: Feather,
    words: (t: Words) => t.tabs[tab],
    of: (t: Words) => t.places.memory,
  })),
  {
    id: "memory review",
    href: "/memory?view=review",
    icon: Feather,
    words: (t) => t.memory.waitingReview,
    of: (t) => t.places.memory,
  },
  ...PEOPLE.map((tab) => ({
    id: `people ${tab}`,
    href: `/people?view=${tab}`,
    icon: Users,
    words: (t: Words) => t.peopleTabs[tab],
    of: (t: Words) => t.places.people,
  })),
  ...TRAINING.map((tab) => ({
    id: `training ${tab}`,
    href: `/training?view=${tab}`,
    icon: Sprout,
    words: (t: Words) => t.trainingTabs[tab],
    of: (t: Words) => t.places.training,
  })),
];

/** The sections of Settings, found by their names. */
const SECTIONS: readonly (readonly [string, (words: Words) => string])[] = [
  ["you", (t) => t.settings.you],
  ["model", (t) => t.settings.model],
  ["thinking", (t) => t.thinking.title],
  ["meaning", (t) => t.embedder.title],
  ["keys", (t) => t.settings.keys],
  [
    "data",
    (t) => `${t.data.title}: ${t.data.exportTitle}, ${t.data.importTitle}, ${t.data.backupTitle}`,
  ],
  ["activity", (t) => t.activity.title],
  ["look", (t) => t.settings.look],
  ["keyboard", (t) => t.settings.keyboard],
  ["health", (t) => t.settings.health],
  ["erase", (t) => t.eraseAll.title],
];

/** What is shown only where something was typed. */
export const WITHIN: readonly Lead[] = [
  ...TABS,
  ...SECTIONS.map(([id, words]) => ({
    id: `settings ${id}`,
    href: `/settings#${id}`,
    icon: Settings2,
    words,
    of: (t: Words) => t.places.settings,
  })),
];
