/** What the palette finds for what was typed. */
import { useQuery } from "@tanstack/react-query";
import {
  Archive,
  BookOpen,
  CornerDownLeft,
  Drama,
  Feather,
  Keyboard,
  Languages,
  ListChecks,
  MessageCircle,
  Moon,
  Plus,
  Printer,
  Search,
  Send,
  Settings2,
  ShieldCheck,
  Sprout,
  Sun,
  Undo2,
  Users,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { useDeferredValue, useMemo } from "react";
import { useConversations } from "@/lib/api/conversations";
import { useBackUp, useVerify } from "@/lib/api/home";
import { usePrefs } from "@/lib/api/identity";
import { recallQuery } from "@/lib/api/recall";
import { send } from "@/lib/commands";
import { useLanguage, useText } from "@/lib/i18n";
import { en, type Widen } from "@/lib/i18n/en";
import { settingsEn } from "@/lib/i18n/en-settings";
import { ja } from "@/lib/i18n/ja";
import { settingsJa } from "@/lib/i18n/ja-settings";
import { useSettingsText, type SettingsText } from "@/lib/i18n/settings";
import { plain } from "@/lib/plain";
import { resolveTheme } from "@/lib/prefs";
import { undoLast, useUndoable } from "@/lib/undo";
import { documentIcon } from "@/ui/evidence";
import { beginsSo, matching, type Entry, type Group } from "./entries";

const MEMORIES = 5;

/** What is said in each language: an entry is found by either. */
const EN = { ...en, ...settingsEn };
const JA: Widen<typeof EN> = { ...ja, ...settingsJa };

/** The sections of Settings, found by their names. */
const SECTIONS: readonly (readonly [string, (texts: SettingsText) => string])[] = [
  ["you", (t) => t.settings.you],
  ["model", (t) => t.settings.model],
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

/** The groups in their order: what one probably wants, places, memories, commands. */
export function useGroups(typed: string, onDone: () => void): readonly Group[] {
  const text = useText();
  const words = useSettingsText();
  const router = useRouter();
  const language = useLanguage();
  const { prefs, change } = usePrefs();
  const dark = resolveTheme(prefs.theme) === "dark";
  const last = useUndoable();
  const { mutate: backUp } = useBackUp();
  const { mutate: verify } = useVerify();
  const conversations = useConversations().data?.items;
  // What Enter does is what was typed, at once; memories may come a moment later.
  const wanted = typed.trim();
  const sought = useDeferredValue(wanted);
  const memories = useQuery(recallQuery({ query: sought, k: MEMORIES, since: "", until: "" })).data
    ?.items;
  return useMemo(() => {
    const go = (href: string) => (): void => {
      onDone();
      router.push(href);
    };
    const done = (act: () => void) => (): void => {
      onDone();
      act();
    };
    const also = (pick: (texts: typeof JA) => string): string => `${pick(EN)} ${pick(JA)}`;
    const places: readonly Entry[] = [
      {
        id: "chat",
        words: text.places.chat,
        also: also((t) => t.places.chat),
        keys: "1",
        icon: MessageCircle,
        run: go("/"),
      },
      {
        id: "memory",
        words: text.places.memory,
        also: also((t) => t.places.memory),
        keys: "2",
        icon: Feather,
        run: go("/memory"),
      },
      {
        id: "library",
        words: text.places.library,
        also: also((t) => t.places.library),
        keys: "3",
        icon: BookOpen,
        run: go("/library"),
      },
      {
        id: "training",
        words: text.places.training,
        also: also((t) => t.places.training),
        keys: "4",
        icon: Sprout,
        run: go("/training"),
      },
      {
        id: "people",
        words: text.places.people,
        also: also((t) => t.places.people),
        keys: "5",
        icon: Users,
        run: go("/people"),
      },
      {
        id: "search",
        words: text.places.search,
        also: also((t) => t.places.search),
        keys: "6",
        icon: Search,
        run: go("/search"),
      },
      {
        id: "roles",
        words: text.places.roles,
        also: also((t) => t.places.roles),
        keys: "7",
        icon: Drama,
        run: go("/roles"),
      },
      {
        id: "settings",
        words: text.places.settings,
        also: also((t) => t.places.settings),
        icon: Settings2,
        run: go("/settings"),
      },
      {
        id: "exposure",
        words: words.settings.exposure,
        also: also((t) => t.settings.exposure),
        icon: ShieldCheck,
        run: go("/exposure"),
      },
    ];
    const commands: readonly Entry[] = [
      {
        id: "new",
        words: text.chat.newOne,
        also: also((t) => t.chat.newOne),
        icon: Plus,
        run: go("/"),
      },
      {
        id: "add",
        words: text.add.title,
        also: also((t) => `${t.add.title} ${t.chat.addFile}`),
        icon: Plus,
        run: () => {
          onDone();
          send("add");
        },
      },
      {
        id: "keep",
        words: text.memory.keep,
        also: also((t) => t.memory.keep),
        icon: Feather,
        run: go("/memory?keep=1"),
      },
      {
        id: "theme",
        words: dark ? text.frame.themeLight : text.frame.themeDark,
        also: also((t) => `${t.frame.themeLight} ${t.frame.themeDark} ${t.settings.theme}`),
        icon: dark ? Sun : Moon,
        run: done(() => change({ theme: dark ? "light" : "dark" })),
      },
      {
        id: "language",
        words: language === "ja" ? text.frame.toEnglish : text.frame.toJapanese,
        also: also((t) => `${t.settings.language} ${t.settings.english} ${t.settings.japanese}`),
        icon: Languages,
        run: done(() => change({ language: language === "ja" ? "en" : "ja" })),
      },
      ...(last
        ? [
            {
              id: "undo",
              words: text.palette.undo(last.sentence),
              also: also((t) => t.frame.undo),
              keys: "modZ",
              icon: Undo2,
              run: done(undoLast),
            },
          ]
        : []),
      {
        id: "backup",
        words: words.data.backupDo,
        also: also((t) => `${t.data.backupDo} ${t.data.backupTitle}`),
        icon: Archive,
        run: done(() => backUp()),
      },
      {
        id: "check",
        words: words.data.verifyDo,
        also: also((t) => `${t.data.verifyTitle} ${t.data.verifyDo}`),
        icon: ListChecks,
        run: done(() => verify(false)),
      },
      {
        id: "print",
        words: text.talk.print,
        also: also((t) => t.talk.print),
        keys: "p",
        icon: Printer,
        run: () => {
          onDone();
          send("print");
        },
      },
      {
        id: "bridge",
        words: text.bridge.open,
        also: also((t) => `${t.bridge.open} ${t.bridge.hold}`),
        icon: Send,
        run: () => {
          onDone();
          send("bridge");
        },
      },
      {
        id: "keys",
        words: text.keys.showTable,
        also: also((t) => t.keys.showTable),
        keys: "?",
        icon: Keyboard,
        run: () => {
          onDone();
          send("keys");
        },
      },
    ];
    const sections: readonly Entry[] = SECTIONS.map(([id, pick]) => ({
      id: `settings-${id}`,
      words: pick(words),
      from: text.places.settings,
      also: also(pick),
      icon: Settings2,
      run: go(`/settings#${id}`),
    }));
    const talks: readonly Entry[] = (conversations ?? []).map((one) => ({
      id: one.id,
      words: one.title || text.chat.untitled,
      icon: MessageCircle,
      run: go(`/?id=${encodeURIComponent(one.id)}`),
    }));
    const asked: readonly Entry[] =
      wanted === ""
        ? []
        : [
            {
              id: "ask",
              words: text.palette.ask(wanted),
              icon: CornerDownLeft,
              run: () => {
                onDone();
                router.push(`/?ask=${encodeURIComponent(wanted)}`);
              },
            },
            {
              id: "find",
              words: text.palette.searchFor(wanted),
              icon: Search,
              run: go(`/search?q=${encodeURIComponent(wanted)}`),
            },
          ];
    const found: readonly Entry[] = (wanted === "" ? [] : (memories ?? [])).map((item) => ({
      id: item.id,
      words: plain(item.content),
      from: item.document.title,
      own: true,
      icon: documentIcon(item.document.kind),
      run: go(
        `/library?id=${encodeURIComponent(item.document.id)}&start=${item.start}&end=${item.end}`,
      ),
    }));
    // What is called exactly so is wanted before asking about it.
    const named =
      wanted === ""
        ? []
        : matching([...places, ...sections, ...commands], wanted)
            .filter((entry) => beginsSo(entry, wanted))
            .slice(0, 2);
    const placesFound = matching(wanted === "" ? places : [...places, ...sections], wanted).filter(
      (entry) => !named.includes(entry),
    );
    return [
      {
        id: "wanted",
        name: text.palette.wanted,
        entries: [...named, ...asked, ...matching(talks, wanted).slice(0, wanted === "" ? 4 : 3)],
      },
      { id: "places", name: text.palette.places, entries: placesFound },
      { id: "memories", name: text.palette.memories, entries: found },
      {
        id: "commands",
        name: text.palette.commands,
        entries: matching(commands, wanted).filter((entry) => !named.includes(entry)),
      },
    ].filter((group) => group.entries.length > 0);
  }, [
    backUp,
    change,
    conversations,
    dark,
    language,
    last,
    memories,
    onDone,
    router,
    text,
    verify,
    wanted,
    words,
  ]);
}
