/** What the palette finds for what was typed. */
import { useQuery } from "@tanstack/react-query";
import {
  Archive,
  CornerDownLeft,
  Feather,
  Keyboard,
  Languages,
  ListChecks,
  MessageCircle,
  Moon,
  PenLine,
  Plus,
  Printer,
  Search,
  Send,
  Sun,
  Undo2,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { useDeferredValue, useMemo } from "react";
import { useConversations } from "@/lib/api/conversations";
import { useBackUp, useVerify } from "@/lib/api/home";
import { usePrefs } from "@/lib/api/identity";
import { recallQuery } from "@/lib/api/recall";
import { send } from "@/lib/commands";
import { useLanguage, useText } from "@/lib/i18n";
import { useSettingsText } from "@/lib/i18n/settings";
import { plain } from "@/lib/plain";
import { resolveTheme } from "@/lib/prefs";
import { undoLast, useUndoable } from "@/lib/undo";
import { documentIcon } from "@/ui/evidence";
import { beginsSo, matching, type Entry, type Group } from "./entries";
import { bothOf, EN, foundBy, JA, PLACES, WITHIN, type Lead } from "./leads";

const MEMORIES = 5;

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
    const mine = language === "ja" ? JA : EN;
    const entryOf = (lead: Lead): Entry => ({
      id: lead.id.replace(" ", "-"),
      words: lead.words(mine),
      also: foundBy(lead),
      icon: lead.icon,
      run: go(lead.href),
      ...(lead.of ? { from: lead.of(mine) } : {}),
      ...(lead.keys ? { keys: lead.keys } : {}),
    });
    const places = PLACES.map(entryOf);
    const within = WITHIN.map(entryOf);
    const commands: readonly Entry[] = [
      {
        id: "new",
        words: text.chat.newOne,
        also: bothOf((t) => t.chat.newOne),
        icon: Plus,
        run: go("/"),
      },
      {
        id: "capture",
        words: text.frame.capture,
        also: bothOf((t) => `${t.frame.capture} ${t.frame.captureTab}`),
        keys: "w",
        icon: PenLine,
        run: () => {
          onDone();
          send("capture");
        },
      },
      {
        id: "add",
        words: text.add.title,
        also: bothOf((t) => `${t.add.title} ${t.chat.addFile}`),
        icon: Plus,
        run: () => {
          onDone();
          send("add");
        },
      },
      {
        id: "keep",
        words: text.memory.keep,
        also: bothOf((t) => t.memory.keep),
        icon: Feather,
        run: go("/memory?keep=1"),
      },
      {
        id: "theme",
        words: dark ? text.frame.themeLight : text.frame.themeDark,
        also: bothOf((t) => `${t.frame.themeLight} ${t.frame.themeDark} ${t.settings.theme}`),
        icon: dark ? Sun : Moon,
        run: done(() => change({ theme: dark ? "light" : "dark" })),
      },
      {
        id: "language",
        words: language === "ja" ? text.frame.toEnglish : text.frame.toJapanese,
        also: bothOf((t) => `${t.settings.language} ${t.settings.english} ${t.settings.japanese}`),
        icon: Languages,
        run: done(() => change({ language: language === "ja" ? "en" : "ja" })),
      },
      ...(last
        ? [
            {
              id: "undo",
              words: text.palette.undo(last.sentence),
              also: bothOf((t) => t.frame.undo),
              keys: "modZ",
              icon: Undo2,
              run: done(undoLast),
            },
          ]
        : []),
      {
        id: "backup",
        words: words.data.backupDo,
        also: bothOf((t) => `${t.data.backupDo} ${t.data.backupTitle}`),
        icon: Archive,
        run: done(() => backUp()),
      },
      {
        id: "check",
        words: words.data.verifyDo,
        also: bothOf((t) => `${t.data.verifyTitle} ${t.data.verifyDo}`),
        icon: ListChecks,
        run: done(() => verify(false)),
      },
      {
        id: "print",
        words: text.talk.print,
        also: bothOf((t) => t.talk.print),
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
        also: bothOf((t) => `${t.bridge.open} ${t.bridge.hold}`),
        icon: Send,
        run: () => {
          onDone();
          send("bridge");
        },
      },
      {
        id: "keys",
        words: text.keys.showTable,
        also: bothOf((t) => t.keys.showTable),
        keys: "?",
        icon: Keyboard,
        run: () => {
          onDone();
          send("keys");
        },
      },
    ];
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
        : matching([...places, ...within, ...commands], wanted)
            .filter((entry) => beginsSo(entry, wanted))
            .slice(0, 2);
    const placesFound = matching(wanted === "" ? places : [...places, ...within], wanted).filter(
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
