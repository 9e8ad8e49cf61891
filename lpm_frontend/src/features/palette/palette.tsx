"use client";
import { useQuery } from "@tanstack/react-query";
import { BookOpen, CornerDownLeft, Keyboard, MessageCircle, Plus, Search, Settings2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useCallback, useDeferredValue, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useConversations } from "@/lib/api/conversations";
import { recallQuery } from "@/lib/api/recall";
import { send, useCommand } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { en } from "@/lib/i18n/en";
import { ja } from "@/lib/i18n/ja";
import { plain } from "@/lib/plain";
import { Dialog } from "@/ui/dialog";
import { documentIcon } from "@/ui/evidence";
import { Icon } from "@/ui/icon";
import { Kbd } from "@/ui/kbd";
import { matching, type Entry, type Group } from "./entries";

const MEMORIES = 5;

/** Go, find a memory, ask, do: one line for all of it. */
export function Palette() {
  const text = useText();
  const [open, setOpen] = useState(false);
  useCommand(
    "palette",
    useCallback(() => setOpen(true), []),
  );
  return (
    <Dialog open={open} onClose={() => setOpen(false)} title={text.palette.label} closeLabel={text.frame.close} shape="wide" bare>
      <Finder onDone={() => setOpen(false)} />
    </Dialog>
  );
}

/** The groups in their order: what one probably wants, places, memories, commands. */
function useGroups(typed: string, onDone: () => void): readonly Group[] {
  const text = useText();
  const router = useRouter();
  const conversations = useConversations().data?.items;
  const wanted = useDeferredValue(typed.trim());
  const memories = useQuery(recallQuery({ query: wanted, k: MEMORIES, since: "", until: "" })).data?.items;
  return useMemo(() => {
    const go = (href: string) => (): void => {
      onDone();
      router.push(href);
    };
    const also = (pick: (texts: typeof ja) => string): string => `${pick(en)} ${pick(ja)}`;
    const places: readonly Entry[] = [
      { id: "chat", words: text.places.chat, also: also((t) => t.places.chat), keys: "1", icon: MessageCircle, run: go("/") },
      { id: "search", words: text.places.search, also: also((t) => t.places.search), keys: "2", icon: Search, run: go("/search") },
      { id: "library", words: text.places.library, also: also((t) => t.places.library), keys: "3", icon: BookOpen, run: go("/library") },
      { id: "settings", words: text.places.settings, also: also((t) => t.places.settings), icon: Settings2, run: go("/settings") },
    ];
    const commands: readonly Entry[] = [
      { id: "new", words: text.chat.newOne, also: also((t) => t.chat.newOne), icon: Plus, run: go("/") },
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
    const talks: readonly Entry[] = (conversations ?? []).map((one) => ({ id: one.id, words: one.title || text.chat.untitled, icon: MessageCircle, run: go(`/?id=${encodeURIComponent(one.id)}`) }));
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
            { id: "find", words: text.palette.searchFor(wanted), icon: Search, run: go(`/search?q=${encodeURIComponent(wanted)}`) },
          ];
    const found: readonly Entry[] = (wanted === "" ? [] : (memories ?? [])).map((item) => ({
      id: item.id,
      words: plain(item.content),
      from: item.document.title,
      own: true,
      icon: documentIcon(item.document.kind),
      run: go(`/library?id=${encodeURIComponent(item.document.id)}&start=${item.start}&end=${item.end}`),
    }));
    const placesFound = matching(places, wanted);
    return [
      // A place that is named comes before asking about it.
      { id: "places", name: text.palette.places, entries: placesFound },
      { id: "wanted", name: text.palette.wanted, entries: asked },
      { id: "memories", name: text.palette.memories, entries: found },
      { id: "conversations", name: text.palette.conversations, entries: matching(talks, wanted).slice(0, wanted === "" ? 4 : 6) },
      { id: "commands", name: text.palette.commands, entries: matching(commands, wanted) },
    ].filter((group) => group.entries.length > 0);
  }, [conversations, memories, onDone, router, text, wanted]);
}

function Finder({ onDone }: { onDone: () => void }) {
  const text = useText();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const groups = useGroups(typed, onDone);
  const flat = groups.flatMap((group) => group.entries);
  const at = Math.min(chosen, Math.max(0, flat.length - 1));
  const optionId = (entry: Entry | undefined): string | undefined => (entry ? `${id}-${entry.id}` : undefined);
  const move = (to: number): void => {
    const next = (to + flat.length) % Math.max(1, flat.length);
    setChosen(next);
    list.current?.querySelectorAll("[role=option]")[next]?.scrollIntoView({ block: "nearest" });
  };
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") move(at + 1);
    else if (event.key === "ArrowUp") move(at - 1);
    else if (event.key === "Enter") flat[at]?.run();
    else return;
    event.preventDefault();
  };
  return (
    <div className="palette">
      <div className="palette-line">
        <Icon of={Search} />
        <input
          role="combobox"
          aria-label={text.palette.label}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={optionId(flat[at])}
          aria-autocomplete="list"
          placeholder={text.palette.placeholder}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
        <Kbd>Esc</Kbd>
      </div>
      <div className="palette-list" id={`${id}-list`} role="listbox" aria-label={text.palette.results(flat.length)} ref={list}>
        {groups.map((group) => (
          <div key={group.id} className="palette-group" role="group" aria-labelledby={`${id}-${group.id}-name`}>
            <p className="label" id={`${id}-${group.id}-name`}>
              {group.name}
            </p>
            {group.entries.map((entry) => (
              // The line above holds the focus and moves the choice; the pointer only points.
              // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
              <div key={entry.id} id={optionId(entry)} role="option" aria-selected={flat[at] === entry} className="palette-item" onClick={entry.run} onMouseMove={() => setChosen(flat.indexOf(entry))}>
                <Icon of={entry.icon} />
                <span className={entry.own ? "what own clip" : "what clip"}>{entry.words}</span>
                {entry.from ? <span className="from clip">{entry.from}</span> : null}
                {entry.keys ? <Kbd>{entry.keys}</Kbd> : null}
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
