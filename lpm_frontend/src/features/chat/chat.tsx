"use client";
import { useQueryClient } from "@tanstack/react-query";
import { List } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { NodeProblem } from "@/lib/api/client";
import { branchConversation, conversationQuery, conversationsQuery, createConversation, fetchWhole, useConversation } from "@/lib/api/conversations";
import type { ConversationWhole } from "@/lib/api/types";
import { useStatus } from "@/lib/api/status";
import { send, useCommand } from "@/lib/commands";
import { useDock } from "@/lib/dock";
import { useText } from "@/lib/i18n";
import { useMedia, WIDE } from "@/lib/media";
import { Bar } from "@/ui/bar";
import { Button, IconButton } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Empty, Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { Composer } from "./composer";
import { useEarlier } from "./earlier";
import { ExchangeView, type Branch } from "./exchange";
import { historyOf, holds, withLive, type NoteOf } from "./exchanges";
import { ask, askAnew, forget, isWriting, stop, useLive } from "./live";
import { openAtItsEnd } from "./opening";
import { Shelf } from "./shelf";
import { EVERYONE, nextOf, Seats, SmallModel, SpokenBy, useCast } from "./spoken-by";
import { Starters } from "./starters";
import { Title, TitleTools } from "./title";

const Paper = lazy(() => import("./paper"));

interface ChatProps {
  /** The conversation that is open; empty for a new one. */
  id: string;
  /** The roles that a new one is with, by their ids with commas; empty for the second self. */
  role: string;
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

/** The exchange that one is at: where the focus is, else the one in sight that is nearest to the top, else the newest. */
function here(box: HTMLElement | null): Element | null {
  const focused = document.activeElement?.closest(".exchange");
  if (focused) return focused;
  const edge = box?.getBoundingClientRect();
  const all = [...(box?.querySelectorAll(".exchange") ?? [])];
  return all.find((exchange) => edge && exchange.getBoundingClientRect().bottom > Math.max(0, edge.top) + 40) ?? all.at(-1) ?? null;
}

/** How long the node may take to write a stopped turn down, in tries. */
const SETTLE_MS = [250, 900, 2_500];

export function Chat({ id, role, reader }: ChatProps) {
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
  const dock = useDock<HTMLDivElement>();
  const turns = useMemo(() => query.data?.items ?? [], [query.data]);
  const history = useMemo(() => historyOf(turns), [turns]);
  const exchanges = useMemo(() => withLive(history, turns, live), [history, turns, live]);
  const earlier = query.data?.before ?? null;
  const { scroller, top, fetching, more } = useEarlier(id, earlier, history, setTrouble);
  const branches = useMemo(() => {
    const found = new Map<string, Branch[]>();
    for (const branch of query.data?.branches ?? []) found.set(branch.turn, [...(found.get(branch.turn) ?? []), branch]);
    return found;
  }, [query.data?.branches]);
  const [paper, setPaper] = useState<ConversationWhole | null>(null);
  const writing = isWriting(live);
  const wanted = useMemo(() => (id === "" && role !== "" ? role.split(",") : []), [id, role]);
  const cast = useCast(query.data, wanted);
  const several = cast.seats.length > 0;
  const [to, setTo] = useState("");
  const seated = useMemo(() => cast.seats.filter((seat) => seat.name !== "").map((seat) => seat.id), [cast.seats]);
  // The first question becomes the name; until the node has said so, it stands there already.
  const named = query.data?.title ?? "";
  const title = named === "" ? (live?.question ?? "").slice(0, 60) : named;

  // The history takes over from the live answer once it holds it. A stopped turn is written down a moment after the connection closed.
  useEffect(() => {
    if (live && !isWriting(live) && live.phase !== "exhausted" && holds(turns, live)) forget(id);
  }, [id, live, turns]);

  /** Wait until the node has written the answer down: a stopped one comes a moment after the connection closed. */
  const settle = useCallback(
    async (conversation: string): Promise<void> => {
      for (const wait of SETTLE_MS) {
        await cache.refetchQueries({ queryKey: conversationQuery(conversation).queryKey });
        await cache.invalidateQueries({ queryKey: conversationsQuery.queryKey });
        const kept = cache.getQueryData(conversationQuery(conversation).queryKey);
        if (kept?.items.at(-1)?.role === "assistant") return;
        await new Promise((done) => setTimeout(done, wait));
      }
    },
    [cache],
  );
  const askIn = useCallback(
    async (where: string, question: string, to = ""): Promise<void> => {
      setTrouble(null);
      setOpened(null);
      let conversation = where;
      try {
        if (conversation === "") {
          const made = await createConversation(wanted);
          conversation = made.id;
          cache.setQueryData(conversationQuery(made.id).queryKey, { ...made, items: [] });
        }
      } catch (error) {
        setTrouble(error);
        return;
      }
      const round = to === EVERYONE ? seated : [to];
      for (const [at, one] of round.entries()) {
        const answered = ask(conversation, at === 0 ? question : "", one);
        if (at === 0 && conversation !== id) router.replace(`/?id=${encodeURIComponent(conversation)}`);
        const ended = await answered;
        await settle(conversation);
        if (ended !== "done") return;
      }
    },
    [cache, id, router, seated, settle, wanted],
  );
  const askHere = useCallback((question: string, to = "") => askIn(id, question, to), [askIn, id]);
  const answerAgain = useCallback(
    async (asked: string, question: string): Promise<void> => {
      setTrouble(null);
      await askAnew(id, asked, question);
      await settle(id);
    },
    [id, settle],
  );
  const branchAt = useCallback(
    async (asked: string, question: string): Promise<void> => {
      setTrouble(null);
      try {
        const made = await branchConversation(id, asked);
        await cache.query(conversationQuery(made.id));
        void cache.invalidateQueries({ queryKey: conversationQuery(id).queryKey });
        await askIn(made.id, question);
      } catch (error) {
        setTrouble(error);
      }
    },
    [askIn, cache, id],
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
  const isOpen = opened !== null;
  useCommand(
    "source",
    useCallback(
      ({ by }: { by: 1 | -1 }) => {
        if (isOpen) step({ by });
        // Nothing is open: begin with the first, or the last, of the answer one is at.
        else [...(here(scroller.current)?.querySelectorAll<HTMLElement>(".note .stretch") ?? [])].at(by > 0 ? 0 : -1)?.click();
      },
      [isOpen, step, scroller],
    ),
  );
  const toggleMargin = useCallback(() => {
    if (opened) close();
    else here(scroller.current)?.querySelector<HTMLElement>(".note .stretch")?.click();
  }, [close, opened, scroller]);
  useCommand("margin", toggleMargin);
  useCommand("copy", useCallback(() => here(scroller.current)?.querySelector<HTMLElement>(".do-copy")?.click(), [scroller]));
  useCommand("again", useCallback(() => here(scroller.current)?.querySelector<HTMLElement>(".do-again")?.click(), [scroller]));
  const pinned = useRef(false);
  useCommand(
    "step",
    useCallback(({ by }: { by: 1 | -1 }) => {
      if (document.activeElement?.closest(".shelf-list")) return;
      const all = [...(scroller.current?.querySelectorAll<HTMLElement>(".exchange") ?? [])];
      const at = all.findIndex((exchange) => exchange.contains(document.activeElement));
      const next = all[Math.min(all.length - 1, Math.max(0, at === -1 ? (by > 0 ? 0 : all.length - 1) : at + by))];
      pinned.current = false;
      next?.focus({ preventScroll: true });
      next?.scrollIntoView({ block: "start" });
    }, [scroller]),
  );
  const putAside = useCallback(() => setPaper(null), []);
  const print = useCallback(async (): Promise<void> => {
    if (id === "") return;
    try {
      setPaper(await fetchWhole(id));
    } catch (error) {
      setTrouble(error);
    }
  }, [id]);
  useCommand(
    "print",
    useCallback(() => void print(), [print]),
  );

  // A new question goes to the top of the page, and its answer is written beneath it.
  const question = live?.question;
  // Until one scrolls oneself, it stays there: what comes into the margin, or is measured only now, must not push it out of sight.
  useEffect(() => {
    pinned.current = question !== undefined;
  }, [question]);
  useEffect(() => {
    const box = scroller.current;
    const letGo = (): void => {
      pinned.current = false;
    };
    box?.addEventListener("wheel", letGo, { passive: true });
    box?.addEventListener("touchmove", letGo, { passive: true });
    box?.addEventListener("pointerdown", letGo);
    return () => {
      box?.removeEventListener("wheel", letGo);
      box?.removeEventListener("touchmove", letGo);
      box?.removeEventListener("pointerdown", letGo);
    };
  }, [scroller]);
  useEffect(() => {
    if (!pinned.current) return undefined;
    // A role that goes on by itself is read after what was said before it.
    const align = (): void => scroller.current?.querySelector(".exchange.newest")?.scrollIntoView({ block: question === "" ? "end" : "start" });
    align();
    const frame = requestAnimationFrame(align);
    return () => cancelAnimationFrame(frame);
  }, [question, live?.phase, live?.parts.length, turns.length, scroller]);
  // An old conversation opens where it ended.
  const loaded = query.isSuccess;
  useEffect(() => {
    return loaded && question === undefined && scroller.current ? openAtItsEnd(scroller.current) : undefined;
    // Only when another conversation is opened.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [id, loaded]);

  const open = useCallback(
    (note: NoteOf, all: readonly NoteOf[]): void => {
      setOpened({ conversation: id, note, all, from: document.activeElement instanceof HTMLElement ? document.activeElement : null });
    },
    [id],
  );
  const reading = opened ? reader({ document: opened.note.document, start: opened.note.start, end: opened.note.end }, close, opened.all.length > 1 ? (by) => step({ by }) : undefined) : null;
  const missing = query.error instanceof NodeProblem && query.error.status === 404;

  return (
    <>
      <Bar title={id === "" ? text.places.chat : title || text.chat.untitled} heading={id === "" ? undefined : <Title key={`${id} ${title}`} id={id} title={title} renaming={renaming} onRename={setRenaming} onTrouble={setTrouble} />}>
        {wide ? null : <IconButton className="only-narrow" icon={List} label={text.chat.conversations} onClick={() => setShelf(true)} />}
      </Bar>
      <div className={opened && wide ? "chat reading" : "chat"}>
        <div className="chat-scroll" ref={scroller}>
          <SpokenBy cast={cast} />
          {id === "" && role !== "" && exchanges.length === 0 ? <SmallModel /> : null}
          {id === "" && role === "" && exchanges.length === 0 ? <Starters onAsk={(starter) => void askHere(starter)} empty={status?.documents === 0} /> : null}
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
          {earlier === null ? null : (
            <div className="chat-page earlier" ref={top}>
              {fetching ? (
                <p className="small faint" role="status">
                  {text.talk.loadingEarlier}
                </p>
              ) : (
                <Button size="small" tone="quiet" onClick={() => void more()}>
                  {text.talk.earlier}
                </Button>
              )}
            </div>
          )}
          {earlier === null && query.data?.branched_from ? (
            <div className="chat-page branched">
              <p className="small">
                {query.data.branched_from.title === null ? (
                  <span className="faint">{text.talk.branchedFromGone}</span>
                ) : (
                  <Link className="link" href={`/?id=${encodeURIComponent(query.data.branched_from.conversation)}`}>
                    {text.talk.branchedFrom(query.data.branched_from.title || text.chat.untitled)}
                  </Link>
                )}
              </p>
            </div>
          ) : null}
          {exchanges.map((exchange, index) => (
            <ExchangeView
              key={exchange.key}
              conversation={id}
              branches={branches.get(exchange.asked)}
              busy={writing}
              exchange={exchange}
              name={status?.name ?? ""}
              passages={status?.chunks ?? 0}
              wide={wide}
              newest={index === exchanges.length - 1}
              onOpen={open}
              onAskAgain={askHere}
              onAnswerAgain={answerAgain}
              onBranch={branchAt}
            />
          ))}
          {trouble === null ? null : (
            <div className="chat-page">
              <Trouble error={trouble} />
            </div>
          )}
        </div>
        {reading && wide ? <aside className="chat-reader">{reading}</aside> : null}
        <div className="dock" ref={dock}>
          <Composer
            key={id}
            writing={writing}
            to={cast.role?.name ?? (several ? (cast.seats.find((seat) => seat.id === to) ?? nextOf(cast.seats))?.name : "") ?? ""}
            all={several && to === EVERYONE}
            seats={several ? <Seats seats={cast.seats} to={to} onTo={setTo} /> : null}
            canGoOn={several && exchanges.length > 0}
            onAsk={(asked) => void askHere(asked, several ? to : "")}
            onStop={() => stop(id)}
          />
        </div>
      </div>
      {paper ? (
        <Suspense>
          <Paper conversation={paper} onDone={putAside} />
        </Suspense>
      ) : null}
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
              onTrouble={setTrouble}
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
