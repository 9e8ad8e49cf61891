"use client";
import { useQueryClient } from "@tanstack/react-query";
import { List } from "lucide-react";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { NodeProblem } from "@/lib/api/client";
import { conversationQuery, conversationsQuery, createConversation, useConversation } from "@/lib/api/conversations";
import { useStatus } from "@/lib/api/status";
import { send, useCommand } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { useMedia, WIDE } from "@/lib/media";
import { Bar } from "@/ui/bar";
import { Button, IconButton } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Empty, Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { Composer } from "./composer";
import { ExchangeView } from "./exchange";
import { exchangesOf, holds, type NoteOf } from "./exchanges";
import { ask, forget, isWriting, stop, useLive } from "./live";
import { Shelf } from "./shelf";
import { Starters } from "./starters";
import { Title, TitleTools } from "./title";

interface ChatProps {
  /** The conversation that is open; empty for a new one. */
  id: string;
  /** How a source is read: given from outside, because reading belongs to more than chat. */
  reader: (place: { document: string; start: number; end: number }, onClose: () => void, onStep: ((by: 1 | -1) => void) | undefined) => ReactNode;
}

/** A source that is read beside the conversation, and where one came from to read it. */
interface Opened {
  readonly conversation: string;
  readonly note: NoteOf;
  readonly all: readonly NoteOf[];
  readonly from: HTMLElement | null;
}

/** How long the node may take to write a stopped turn down, in tries. */
const SETTLE_MS = [250, 900, 2_500];

export function Chat({ id, reader }: ChatProps) {
  const text = useText();
  const router = useRouter();
  const cache = useQueryClient();
  const wide = useMedia(WIDE);
  const status = useStatus().data;
  const query = useConversation(id);
  const live = useLive(id);
  const [chosen, setOpened] = useState<Opened | null>(null);
  // What was opened in another conversation stays there.
  const opened = chosen?.conversation === id ? chosen : null;
  const [trouble, setTrouble] = useState<unknown>(null);
  const [shelf, setShelf] = useState(false);
  const [renaming, setRenaming] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const turns = useMemo(() => query.data?.items ?? [], [query.data]);
  const exchanges = useMemo(() => exchangesOf(turns, live), [turns, live]);
  const writing = isWriting(live);
  // The first question becomes the name; until the node has said so, it stands there already.
  const named = query.data?.title ?? "";
  const title = named === "" ? (live?.question ?? "").slice(0, 60) : named;

  // The history takes over from the live answer once it holds it. A stopped turn is written down a moment after the connection closed.
  useEffect(() => {
    if (live && !isWriting(live) && holds(turns, live)) forget(id);
  }, [id, live, turns]);

  const askHere = useCallback(
    async (question: string): Promise<void> => {
      setTrouble(null);
      setOpened(null);
      let conversation = id;
      try {
        if (conversation === "") {
          const made = await createConversation();
          conversation = made.id;
          cache.setQueryData(conversationQuery(made.id).queryKey, { ...made, items: [] });
        }
      } catch (error) {
        setTrouble(error);
        return;
      }
      const answered = ask(conversation, question);
      if (conversation !== id) router.replace(`/?id=${encodeURIComponent(conversation)}`);
      await answered;
      for (const wait of SETTLE_MS) {
        await cache.refetchQueries({ queryKey: conversationQuery(conversation).queryKey });
        await cache.invalidateQueries({ queryKey: conversationsQuery.queryKey });
        const kept = cache.getQueryData(conversationQuery(conversation).queryKey);
        if (kept?.items.at(-1)?.role === "assistant") return;
        await new Promise((done) => setTimeout(done, wait));
      }
    },
    [cache, id, router],
  );

  const close = useCallback((): void => {
    setOpened(null);
    opened?.from?.focus();
  }, [opened]);
  useCommand(
    "stop",
    useCallback(() => {
      if (writing) stop(id);
      else close();
    }, [close, id, writing]),
  );
  useCommand(
    "new",
    useCallback(() => {
      router.push("/");
      send("write");
    }, [router]),
  );
  useCommand(
    "ask",
    useCallback(({ question }: { question: string }) => void askHere(question), [askHere]),
  );
  const step = useCallback(
    ({ by }: { by: 1 | -1 }) => {
      setOpened((now) => {
        if (!now) return now;
        const next = now.all[now.all.findIndex((note) => note.key === now.note.key) + by];
        return next ? { ...now, note: next } : now;
      });
    },
    [],
  );
  useCommand("source", step);
  const toggleMargin = useCallback(() => {
    if (opened) close();
    else scroller.current?.querySelector<HTMLElement>(".exchange.newest .note .stretch")?.click();
  }, [close, opened]);
  useCommand("margin", toggleMargin);

  // A new question goes to the top of the page, and its answer is written beneath it.
  const question = live?.question;
  useEffect(() => {
    if (question !== undefined) scroller.current?.querySelector(".exchange.newest")?.scrollIntoView({ block: "start", behavior: "smooth" });
  }, [question]);
  // An old conversation opens where it ended.
  const loaded = query.isSuccess;
  useEffect(() => {
    if (loaded && question === undefined) scroller.current?.querySelector(".exchange.newest")?.scrollIntoView({ block: "start" });
    // Only when another conversation is opened.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [id, loaded]);

  const open = (note: NoteOf, all: readonly NoteOf[]): void => {
    setOpened({ conversation: id, note, all, from: document.activeElement instanceof HTMLElement ? document.activeElement : null });
  };
  const place = opened?.note;
  const reading = opened ? reader({ document: opened.note.document, start: opened.note.start, end: opened.note.end }, close, opened.all.length > 1 ? (by) => step({ by }) : undefined) : null;
  const missing = query.error instanceof NodeProblem && query.error.status === 404;

  return (
    <>
      <Bar title={id === "" ? text.places.chat : title || text.chat.untitled} heading={id === "" ? undefined : <Title key={`${id} ${title}`} id={id} title={title} renaming={renaming} onRename={setRenaming} />}>
        {wide ? null : <IconButton className="only-narrow" icon={List} label={text.chat.conversations} onClick={() => setShelf(true)} />}
      </Bar>
      <div className={place && wide ? "chat reading" : "chat"}>
        <div className="chat-scroll" ref={scroller}>
          {id === "" && exchanges.length === 0 ? <Starters onAsk={(starter) => void askHere(starter)} empty={status?.documents === 0} /> : null}
          {id !== "" && query.isPending && exchanges.length === 0 ? (
            <div className="chat-page">
              <Loading words={text.app.loading} lines={4} />
            </div>
          ) : null}
          {missing ? (
            <div className="chat-page">
              <Empty title={text.chat.notFoundTitle}>
                <p className="mute">{text.chat.notFoundDetail}</p>
                <Button onClick={() => router.push("/")}>{text.chat.newOne}</Button>
              </Empty>
            </div>
          ) : query.isError && exchanges.length === 0 ? (
            <div className="chat-page">
              <Trouble error={query.error} onRetry={() => void query.refetch()} />
            </div>
          ) : null}
          {exchanges.map((exchange, index) => (
            <ExchangeView
              key={exchange.key}
              exchange={exchange}
              name={status?.name ?? ""}
              memories={status?.chunks ?? 0}
              wide={wide}
              newest={index === exchanges.length - 1}
              onOpen={open}
              onAskAgain={(again) => void askHere(again)}
            />
          ))}
          {trouble === null ? null : (
            <div className="chat-page">
              <Trouble error={trouble} />
            </div>
          )}
        </div>
        {reading && wide ? <aside className="chat-reader">{reading}</aside> : null}
        <div className="dock">
          <Composer key={id} writing={writing} onAsk={(asked) => void askHere(asked)} onStop={() => stop(id)} />
        </div>
      </div>
      {wide ? null : (
        <Dialog open={reading !== null} onClose={close} title={text.source.region} closeLabel={text.source.close} shape="sheet" bare>
          {reading}
        </Dialog>
      )}
      <Dialog open={shelf} onClose={() => setShelf(false)} title={text.places.chat} closeLabel={text.frame.close} shape="sheet">
        {id === "" ? null : (
          <div className="sheet-tools">
            <TitleTools
              id={id}
              title={title}
              worded
              onRename={() => {
                setShelf(false);
                setRenaming(true);
              }}
              onGone={() => setShelf(false)}
            />
          </div>
        )}
        <div>
          <Shelf current={id} onGo={() => setShelf(false)} />
        </div>
      </Dialog>
    </>
  );
}
