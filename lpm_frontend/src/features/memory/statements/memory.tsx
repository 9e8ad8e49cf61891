"use client";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { useFindings } from "@/lib/api/findings";
import { useAnyForgotten, useForget, useMemories, useRetain } from "@/lib/api/memories";
import { useCoreLines, useDisagreements, useReflections } from "@/lib/api/reflections";
import { anniversariesQuery } from "@/lib/api/timeline";
import { useCommand } from "@/lib/commands";
import { today } from "@/lib/days";
import { useDraft } from "@/lib/draft";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Chips, type Chip } from "@/ui/chips";
import { Dialog } from "@/ui/dialog";
import { Command, Empty, Loading } from "@/ui/faces";
import { Field } from "@/ui/field";
import { Margin } from "@/ui/margin";
import { Trouble } from "@/ui/trouble";
import type { ReaderOf } from "../beside";
import { Filters } from "./filters";
import { StatementForm } from "./form";
import { Statements } from "./list";
import { Remembered, type PlaceOfWords } from "./panel";
import { MemoryBar } from "../tabs";
import { OnThisDay } from "./on-this-day";
import { Waiting } from "./today";
import { endOf, hrefOf, isNarrowed, NO_WISH, type MemoryWish } from "./wish";

interface MemoryProps {
  /** What the address asks for. */
  wish: MemoryWish;
  /** The address asks to keep a statement at once. */
  keep: boolean;
  reader: ReaderOf;
}

/** While one types, the words are asked for when the hand has rested so long. */
const TYPING_MS = 200;
/** As many as can be looked through without reading on. */
const FINDINGS = 20;

/**
 * What is believed, since when, and what was believed before: to look through, to put right, to
 * keep.
 */
export function MemoryPlace({ wish, keep, reader }: MemoryProps) {
  const text = useText();
  const language = useLanguage();
  const router = useRouter();
  const [draft, setDraft, asking] = useDraft(wish.words);
  const [keeping, setKeeping] = useState(keep);
  const [opened, setOpened] = useState<{ id: string; place: PlaceOfWords } | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLElement>(null);
  const query = useMemories({
    kinds: wish.kinds,
    about: wish.about,
    words: wish.words,
    asOf: endOf(wish.then),
    forgotten: wish.forgotten,
  });
  const findings = useFindings(FINDINGS, 0);
  const anniversaries = useQuery(anniversariesQuery(today()));
  const settle = useSettleWith(wish.then === "" && !wish.forgotten, reader);
  const memories = query.data?.pages.flatMap((page) => page.items) ?? [];
  const go = useCallback(
    (next: MemoryWish) => router.replace(hrefOf(next), { scroll: false }),
    [router],
  );
  const change = (what: Partial<MemoryWish>): void => go({ ...wish, ...what });
  useEffect(() => {
    const words = draft.trim();
    if (words === wish.words) return undefined;
    const timer = setTimeout(() => {
      asking(words);
      go({ ...wish, words });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [asking, draft, go, wish]);
  const close = useCallback(() => go({ ...wish, id: "" }), [go, wish]);
  const place = opened?.id === wish.id ? opened.place : null;
  useCommand(
    "new",
    useCallback(() => setKeeping(true), []),
  );
  useCommand(
    "write",
    useCallback(() => field.current?.focus(), []),
  );
  useCommand(
    "stop",
    useCallback(() => {
      if (place) setOpened(null);
      else if (wish.id !== "") close();
    }, [close, place, wish.id]),
  );
  useCommand(
    "step",
    useCallback(({ by }: { by: 1 | -1 }) => {
      const links = [...(list.current?.querySelectorAll<HTMLElement>(".stated-words") ?? [])];
      const at = links.findIndex((link) => link === document.activeElement);
      const from = at === -1 ? links.findIndex((link) => link.ariaCurrent === "true") : at;
      links[from === -1 ? 0 : Math.min(links.length - 1, Math.max(0, from + by))]?.focus();
    }, []),
  );
  const leaveKeeping = (): void => {
    setKeeping(false);
    if (keep) go(wish);
  };
  const chip = (key: string, words: string, what: Partial<MemoryWish>): Chip => ({
    key,
    words,
    remove: text.shelves.remove(words),
    onRemove: () => change(what),
  });
  const chips: readonly Chip[] = [
    ...wish.kinds.map((kind) =>
      chip(`kind ${kind}`, text.statements.names[kind], {
        kinds: wish.kinds.filter((each) => each !== kind),
      }),
    ),
    ...(wish.about === "" ? [] : [chip("about", wish.about, { about: "" })]),
  ];
  const narrowed = isNarrowed(wish);
  const then = wish.then === "" ? "" : formatDate(wish.then, language);
  const bare = memories.length === 0 && !narrowed && wish.then === "" && !wish.forgotten;
  const gone = useAnyForgotten(query.data !== undefined && bare);
  const ready =
    query.data !== undefined &&
    !findings.isPending &&
    !anniversaries.isPending &&
    settle !== undefined &&
    !(bare && gone.isPending);
  return (
    <>
      <MemoryBar view="today">
        <Button
          size="small"
          icon={Plus}
          aria-label={text.memory.keep}
          onClick={() => setKeeping(true)}
        >
          <span className="where-wide">{text.memory.keep}</span>
        </Button>
      </MemoryBar>
      <div className="cols">
        <div className="main">
          {query.isError && !query.data ? (
            <Trouble error={query.error} onRetry={() => void query.refetch()} />
          ) : !ready ? (
            <Loading words={text.memory.loading} lines={6} />
          ) : (
            <>
              {wish.then === "" && !wish.forgotten && !narrowed ? (
                <>
                  <OnThisDay query={anniversaries} />
                  <Waiting query={findings} />
                  {settle}
                </>
              ) : null}
              {bare && !gone.data ? (
                <Nothing onKeep={() => setKeeping(true)} />
              ) : (
                <>
                  <div className="memory-head">
                    <Field
                      label={text.memory.search}
                      className="quiet-label"
                      ref={field}
                      type="search"
                      placeholder={text.memory.search}
                      value={draft}
                      onChange={(event) => setDraft(event.target.value)}
                    />
                    <p className="sum num" role="status">
                      {query.hasNextPage
                        ? text.memory.countMore(memories.length)
                        : text.memory.count(memories.length)}
                    </p>
                  </div>
                  <Filters
                    wish={wish}
                    known={[...new Set(memories.flatMap((memory) => memory.entities))]}
                    onChange={change}
                  />
                  <Chips chips={chips} />
                  {wish.then === "" ? null : (
                    <div className="memory-then" role="status">
                      <span>{text.memory.asOf(then)}</span>
                      <button type="button" className="link" onClick={() => change({ then: "" })}>
                        {text.memory.now}
                      </button>
                    </div>
                  )}
                  {wish.forgotten ? (
                    <div className="memory-then" role="status">
                      <span>{text.memory.forgottenLead}</span>
                      <button
                        type="button"
                        className="link"
                        onClick={() => change({ forgotten: false })}
                      >
                        {text.memory.now}
                      </button>
                    </div>
                  ) : null}
                  {bare ? (
                    <Empty title={text.memory.allForgotten}>
                      <p className="mute">{text.memory.allForgottenHint}</p>
                      <Button onClick={() => change({ forgotten: true })}>
                        {text.memory.forgottenShow}
                      </Button>
                    </Empty>
                  ) : memories.length === 0 ? (
                    <Empty
                      title={
                        narrowed
                          ? text.memory.none
                          : wish.forgotten
                            ? text.memory.forgottenNone
                            : text.memory.noneThen(then)
                      }
                    >
                      <Button
                        onClick={() => {
                          setDraft("");
                          go({ ...NO_WISH, id: wish.id });
                        }}
                      >
                        {text.shelves.clear}
                      </Button>
                    </Empty>
                  ) : (
                    <Statements memories={memories} wish={wish} list={list} />
                  )}
                  {query.hasNextPage ? (
                    <Button
                      className="memory-more"
                      disabled={query.isFetchingNextPage}
                      onClick={() => void query.fetchNextPage()}
                    >
                      {text.memory.more}
                    </Button>
                  ) : null}
                </>
              )}
            </>
          )}
        </div>
        <Margin
          label={place ? text.source.region : text.memory.one}
          open={wish.id !== ""}
          onClose={place ? () => setOpened(null) : close}
        >
          {wish.id === "" ? (
            memories.length > 0 ? (
              <p className="margin-hint small faint">{text.memory.choose}</p>
            ) : null
          ) : place ? (
            reader(place, () => setOpened(null))
          ) : (
            <Remembered
              key={wish.id}
              id={wish.id}
              onOpen={(words) => setOpened({ id: wish.id, place: words })}
              onClose={close}
            />
          )}
        </Margin>
      </div>
      <Dialog
        open={keeping}
        onClose={leaveKeeping}
        title={text.memory.keep}
        closeLabel={text.frame.close}
      >
        <Keep onDone={leaveKeeping} />
      </Dialog>
    </>
  );
}

/**
 * The things to settle, once what shows them is fetched and knows what to show, so that nothing
 * moves when it comes; `null` where they are not wanted or cannot be had.
 */
function useSettleWith(wanted: boolean, reader: ReaderOf): ReactNode | undefined {
  const [shown, setShown] = useState<ReactNode | undefined>(undefined);
  const waiting = [useDisagreements(), useCoreLines(), useReflections()].some(
    (query) => query.isPending,
  );
  useEffect(() => {
    import("../pages/settle")
      .then(({ Settle }) => setShown(<Settle reader={reader} />))
      .catch(() => setShown(null));
  }, [reader]);
  if (!wanted) return null;
  return waiting ? undefined : shown;
}

function Keep({ onDone }: { onDone: () => void }) {
  const text = useText();
  const retain = useRetain();
  const forget = useForget();
  return (
    <StatementForm
      parts={{ content: "", kind: "world", entities: [], confidence: null }}
      action={text.memory.keepDo}
      busy={retain.isPending}
      error={retain.error}
      onWrite={(parts) =>
        offerUndoWhen(retain.mutateAsync(parts, { onSuccess: onDone }), ({ id }) => ({
          sentence: text.memory.kept,
          undo: () => forget.mutate(id),
        }))
      }
    />
  );
}

/** What a statement is, and the three ways to write one. */
function Nothing({ onKeep }: { onKeep: () => void }) {
  const text = useText();
  return (
    <Empty title={text.memory.emptyTitle}>
      <p className="mute">{text.memory.emptyDetail}</p>
      <h3 className="label">{text.memory.emptyWays}</h3>
      <ol className="memory-ways">
        <li>{text.memory.emptyHere}</li>
        <li>
          {text.memory.emptyFile}
          <code className="mono memory-line">{`## Retain\n\n- ${text.memory.emptyExample}`}</code>
        </li>
        <li>
          {text.memory.emptyTerminal}{" "}
          <Command>{`lpm retain "${text.memory.emptyExample}"`}</Command>
        </li>
      </ol>
      <Button tone="ink" icon={Plus} onClick={onKeep}>
        {text.memory.keep}
      </Button>
    </Empty>
  );
}
