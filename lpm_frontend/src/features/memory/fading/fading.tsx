"use client";
import Link from "next/link";
import { useCallback, useState, type ReactNode } from "react";
import { useForget, useRetain, useReword } from "@/lib/api/memories";
import { useFading } from "@/lib/api/threads";
import type { Memory } from "@/lib/api/types";
import { formatDate, useLanguage } from "@/lib/i18n";
import { useFadingText } from "@/lib/i18n/fading";
import { fileOf, lineOf, spokenOf } from "@/lib/statement";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { useStay } from "@/ui/stay";
import { Trouble } from "@/ui/trouble";
import { hrefOf, NO_WISH } from "../statements/wish";
import { MemoryBar } from "../tabs";
import { Decay } from "./decay";
import { ToldInChats } from "./told";

/** What fades and why, and a way back for each: memories, and what was told in chats. */
export function Fading(): ReactNode {
  const t = useFadingText();
  return (
    <>
      <MemoryBar view="fading" />
      <div className="main fading">
        <p className="small mute fading-lead">{t.lead}</p>
        <Memories />
        <ToldInChats />
      </div>
    </>
  );
}

function Memories() {
  const t = useFadingText();
  const query = useFading();
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const list = useStay<HTMLElement>(
    items.map(({ id }) => id),
    query.isFetching,
  );
  return (
    <section aria-label={t.memories} ref={list}>
      <h2>{t.memories}</h2>
      {query.isError && !query.data ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading words={t.loading} lines={3} />
      ) : items.length === 0 ? (
        <p className="small mute">{t.noneFading}</p>
      ) : (
        items.map((memory) => <FadingMemory key={memory.id} memory={memory} />)
      )}
      {query.hasNextPage ? (
        <Button
          size="small"
          tone="quiet"
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t.more}
        </Button>
      ) : null}
    </section>
  );
}

/** One memory that fades: how it came to that, and what one can do about it. */
function FadingMemory({ memory }: { memory: Memory }) {
  const t = useFadingText();
  const language = useLanguage();
  const change = useReword();
  const forget = useForget();
  const retain = useRetain();
  const [now] = useState(() => Date.now());
  const busy = change.isPending || forget.isPending;
  const why =
    memory.uses === 0 || memory.last_used == null
      ? t.unused(formatDate(memory.noted_at, language))
      : t.used(memory.uses, formatDate(memory.last_used, language));
  const pin = useCallback(
    () =>
      offerUndoWhen(change.mutateAsync({ id: memory.id, change: { pinned: true } }), () => ({
        sentence: t.pinned,
        undo: () => change.mutate({ id: memory.id, change: { pinned: false } }),
      })),
    [change, memory.id, t],
  );
  const bringBack = useCallback(
    () =>
      offerUndoWhen(change.mutateAsync({ id: memory.id, change: { renewed: true } }), () => ({
        sentence: t.memoryBack,
        undo: () => change.mutate({ id: memory.id, change: { renewed: false } }),
      })),
    [change, memory.id, t],
  );
  const error = change.error ?? forget.error;
  return (
    <article className="it fading-one" aria-label={spokenOf(memory)}>
      <Link className="own" href={hrefOf({ ...NO_WISH, id: memory.id })}>
        {spokenOf(memory)}
      </Link>
      <div className="fading-why">
        <Decay memory={memory} now={now} label={t.curve} />
        <p className="small mute num">
          {t.strength(Math.round(memory.strength * 100))} · {why}
          {memory.fades_at == null ? "" : ` · ${t.fadedOn(formatDate(memory.fades_at, language))}`}
        </p>
      </div>
      <div className="m">
        <span className="acts">
          <Button size="small" tone="quiet" disabled={busy} onClick={bringBack}>
            {t.bringBack}
          </Button>
          <Button size="small" tone="quiet" disabled={busy} onClick={pin}>
            {t.pin}
          </Button>
          {memory.editable ? (
            <Button
              size="small"
              tone="quiet"
              disabled={busy}
              onClick={() =>
                offerUndoWhen(forget.mutateAsync(memory.id), () => ({
                  sentence: t.letGone,
                  undo: () => retain.mutate({ line: lineOf(memory), file: fileOf(memory.source) }),
                }))
              }
            >
              {t.letGo}
            </Button>
          ) : null}
        </span>
      </div>
      {error === null ? null : <Trouble error={error} />}
    </article>
  );
}
