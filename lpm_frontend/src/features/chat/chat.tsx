"use client";
import { List } from "lucide-react";
import {
  Fragment,
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useState,
  type ReactNode,
} from "react";
import { useConversation } from "@/lib/api/conversations";
import { useStatus } from "@/lib/api/status";
import type { SaidIn } from "@/lib/api/types";
import { useDock } from "@/lib/dock";
import { useText } from "@/lib/i18n";
import { useMedia, WIDE } from "@/lib/media";
import { Bar } from "@/ui/bar";
import { IconButton } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Trouble } from "@/ui/trouble";
import { useActs } from "./acts";
import { useAsk } from "./asking";
import { Blank } from "./blank";
import { Composer } from "./composer";
import { useEarlier } from "./earlier";
import { EarlierTurns } from "./earlier-turns";
import { ExchangeView } from "./exchange";
import { heldAt, historyOf, isWanting, withLive } from "./exchanges";
import { KeepingLine, useLeaving } from "./keeping";
import { useChatKeys } from "./keys";
import { forget, isWriting, stop, useDrawnAs, useLive } from "./live";
import { Looks } from "./looks";
import { usePinnedScroll } from "./pinned";
import { Reduced, reducedByKey, ThreadDivider, threadsByFirst } from "./threads";
import { useTurnInSight } from "./turn-in-sight";
import { usePrinting } from "./printing";
import { branchesByQuestion } from "./question";
import { useReaderPane } from "./reader-pane";
import { ShelfSheet } from "./shelf-sheet";
import { EVERYONE, nextOf, Seats, SpokenBy, useCast } from "./spoken-by";
import { Title } from "./title";
import { useVoice, Voices } from "./voices";

const Paper = lazy(() => import("./paper"));

interface ChatProps {
  /** The conversation that is open; empty for a new one. */
  id: string;
  /** The roles that a new one is with, by their ids with commas; empty for the second self. */
  role: string;
  /** What a new one keeps; `null`: as the settings say. */
  keeping: "none" | null;
  /** What was said there is shown when it opens; empty: its end. */
  turn: string;
  /** How a source is read: given from outside, because reading belongs to more than chat. */
  reader: (
    place: { document: string; start: number; end: number; saidIn: SaidIn | null },
    onClose: () => void,
    onStep: ((by: 1 | -1) => void) | undefined,
  ) => ReactNode;
}

export function Chat({ id, role, keeping, turn, reader }: ChatProps) {
  const text = useText();
  const wide = useMedia(WIDE);
  const status = useStatus().data;
  const query = useConversation(id);
  const live = useLive(id);
  const [trouble, setTrouble] = useState<unknown>(null);
  const [shelf, setShelf] = useState(false);
  const [renaming, setRenaming] = useState(false);
  const dock = useDock<HTMLDivElement>();

  const turns = useMemo(() => query.data?.items ?? [], [query.data]);
  const drawn = useDrawnAs();
  const history = useMemo(() => historyOf(turns, drawn), [turns, drawn]);
  const exchanges = useMemo(() => withLive(history, turns, live), [history, turns, live]);
  const branches = useMemo(
    () => branchesByQuestion(query.data?.branches ?? []),
    [query.data?.branches],
  );
  const threads = useMemo(
    () => threadsByFirst(query.data?.threads ?? [], turns),
    [query.data?.threads, turns],
  );
  const reduced = useMemo(
    () => reducedByKey(history, query.data?.threads ?? []),
    [history, query.data?.threads],
  );
  useLeaving(query.data ?? null, id);
  const wanting = exchanges.find(({ answer }) => answer && isWanting(answer))?.key;
  const earlier = query.data?.before ?? null;
  const { scroller, top, fetching, more } = useEarlier(id, earlier, history, setTrouble);
  const writing = isWriting(live);
  // The first question becomes the name; until the node has said so, it stands there already.
  const named = query.data?.title ?? "";
  const title = named === "" ? (live?.question ?? "").slice(0, 60) : named;

  // The history takes over from the live answer once it holds it. A stopped turn is written down a
  // moment after the connection closed.
  useEffect(() => {
    if (!live || isWriting(live) || live.phase === "exhausted") return;
    const asked = heldAt(turns, live);
    if (asked !== null) forget(id, asked);
  }, [id, live, turns]);

  const roles = useMemo(() => (id === "" && role !== "" ? role.split(",") : []), [id, role]);
  const cast = useCast(query.data, roles);
  const several = cast.seats.length > 0;
  const [to, setTo] = useState("");
  const seated = useMemo(
    () => cast.seats.filter((seat) => seat.name !== "").map((seat) => seat.id),
    [cast.seats],
  );
  const next = several
    ? (cast.seats.find((seat) => seat.id === to) ?? nextOf(cast.seats))
    : undefined;

  const { opened, open, step, putAway, close } = useReaderPane(id);
  const alone = !several && !cast.role;
  const chosen = useVoice();
  const voice = alone ? chosen : "self";
  const { askHere, answerAgain, compare, branchAt } = useAsk({
    id,
    roles,
    seated,
    keeping,
    voice,
    onAsk: putAway,
    onTrouble: setTrouble,
  });
  const { paper, print, putAside } = usePrinting(id, setTrouble);
  const letGo = usePinnedScroll({
    scroller,
    id,
    loaded: query.isSuccess,
    live,
    turns: turns.length,
    turn,
  });
  useTurnInSight({ scroller, turn, exchanges, more: earlier === null || fetching ? null : more });
  const { tell, actsHere } = useActs(scroller);
  useChatKeys({
    scroller,
    reading: opened !== null,
    actsHere,
    onAsk: useCallback((question: string) => void askHere(question), [askHere]),
    onStop: useCallback(() => {
      if (writing) stop(id);
      else close();
    }, [close, id, writing]),
    onCloseSource: close,
    onStepSource: step,
    onPrint: useCallback(() => void print(), [print]),
    onGo: letGo,
  });

  const reading = opened
    ? reader(
        {
          document: opened.note.document,
          start: opened.note.start,
          end: opened.note.end,
          saidIn: opened.note.saidIn,
        },
        close,
        opened.all.length > 1 ? step : undefined,
      )
    : null;

  return (
    <>
      <Bar
        title={id === "" ? text.places.chat : title || text.chat.untitled}
        heading={
          id === "" ? undefined : (
            <Title
              key={`${id} ${title}`}
              id={id}
              title={title}
              renaming={renaming}
              onRename={setRenaming}
              onTrouble={setTrouble}
            />
          )
        }
      >
        {wide ? null : (
          <IconButton
            className="only-narrow"
            icon={List}
            label={text.chat.conversations}
            onClick={() => setShelf(true)}
          />
        )}
      </Bar>
      <div className={opened && wide ? "chat reading" : "chat"}>
        <div className="chat-scroll" ref={scroller}>
          <SpokenBy cast={cast} />
          <Blank
            id={id}
            role={role}
            query={query}
            bare={exchanges.length === 0}
            empty={status?.documents === 0}
            onAsk={(starter) => void askHere(starter)}
          />
          <EarlierTurns
            ref={top}
            more={earlier !== null}
            fetching={fetching}
            branchedFrom={query.data?.branched_from}
            onMore={() => void more()}
          />
          {exchanges.map((exchange, index) => (
            <Fragment key={exchange.key}>
              {threads.has(exchange.asked) ? (
                <ThreadDivider
                  conversation={id}
                  begins={threads.get(exchange.asked)}
                  first={index === 0}
                />
              ) : null}
              {exchange.gone ? (
                <Reduced part={reduced.get(exchange.key)} />
              ) : (
                <ExchangeView
                  conversation={id}
                  branches={branches.get(exchange.asked)}
                  busy={writing}
                  exchange={exchange}
                  begins={index === 0 || threads.has(exchange.asked)}
                  name={status?.name ?? ""}
                  passages={status?.chunks ?? 0}
                  wide={wide}
                  wanting={exchange.key === wanting}
                  newest={index === exchanges.length - 1}
                  trained={(status?.training ?? null) !== null}
                  onOpen={open}
                  onAskAgain={askHere}
                  onAnswerAgain={answerAgain}
                  onCompare={compare}
                  onBranch={branchAt}
                  onActs={tell}
                />
              )}
            </Fragment>
          ))}
          {trouble === null ? null : (
            <div className="chat-page">
              <Trouble error={trouble} />
            </div>
          )}
        </div>
        {reading && wide ? <aside className="chat-reader">{reading}</aside> : null}
        <div className="dock" ref={dock}>
          <KeepingLine conversation={query.data ?? null} wanted={id === "" ? keeping : null} />
          <Composer
            key={id}
            writing={writing}
            to={cast.role?.name ?? next?.name ?? ""}
            all={several && to === EVERYONE}
            seats={
              several ? (
                <Seats seats={cast.seats} to={to} onTo={setTo} />
              ) : alone ? (
                <Voices voice={voice} />
              ) : null
            }
            looks={<Looks cast={cast} />}
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
        <Dialog
          open={reading !== null}
          onClose={close}
          title={text.source.region}
          closeLabel={text.source.close}
          shape="sheet"
          bare
        >
          {reading}
        </Dialog>
      )}
      <ShelfSheet
        open={shelf}
        id={id}
        title={title}
        onClose={() => setShelf(false)}
        onRename={() => setRenaming(true)}
        onTrouble={setTrouble}
      />
    </>
  );
}
