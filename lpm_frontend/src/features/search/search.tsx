"use client";
import { useQuery } from "@tanstack/react-query";
import { LockKeyhole, Search as Glass } from "lucide-react";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { recallQuery } from "@/lib/api/recall";
import { useStatus } from "@/lib/api/status";
import type { Item } from "@/lib/api/types";
import { useCommand } from "@/lib/commands";
import { formatDate, useLanguage, useText, type Text } from "@/lib/i18n";
import { plain } from "@/lib/plain";
import { Bar } from "@/ui/bar";
import { Button } from "@/ui/button";
import { asTyped, placeOf, Quote, SignalBars, SourceLine } from "@/ui/evidence";
import { Empty, Loading } from "@/ui/faces";
import { Field } from "@/ui/field";
import { Icon } from "@/ui/icon";
import { Margin } from "@/ui/margin";
import { Trouble } from "@/ui/trouble";

const SHOWN = 25;

export interface SearchWish {
  readonly query: string;
  readonly since: string;
  readonly until: string;
}

interface SearchProps {
  /** What the address asks for. */
  wish: SearchWish;
  reader: (place: { document: string; start: number; end: number }, onClose: () => void, onStep: (by: 1 | -1) => void) => ReactNode;
}

const hrefOf = ({ query, since, until }: SearchWish): string => {
  const address = new URLSearchParams({ q: query, ...(since === "" ? {} : { since }), ...(until === "" ? {} : { until }) });
  return `/search?${address.toString()}`;
};

/** How sure recall is that an answer is among what it found, in one of three sentences. */
const answerable = (likelihood: number, text: Text): string => text.search.answerable[likelihood < 0.35 ? 0 : likelihood < 0.7 ? 1 : 2] ?? "";

/** Find the place where something stands, and see why it was found. */
export function SearchPlace({ wish, reader }: SearchProps) {
  const text = useText();
  const router = useRouter();
  const status = useStatus().data;
  const [draft, setDraft] = useState(wish);
  const [openId, setOpenId] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const query = useQuery(recallQuery({ query: wish.query, k: SHOWN, since: wish.since, until: wish.until }));
  const items = query.data?.items ?? [];
  const opened = items.find((item) => item.id === openId);
  useEffect(() => field.current?.focus(), []);
  useCommand(
    "write",
    useCallback(() => {
      field.current?.focus();
      field.current?.select();
    }, []),
  );
  useCommand(
    "stop",
    useCallback(() => setOpenId(null), []),
  );
  const step = (by: 1 | -1): void => {
    const next = items[items.findIndex((item) => item.id === openId) + by];
    if (next) setOpenId(next.id);
  };
  useCommand(
    "step",
    useCallback(({ by }: { by: 1 | -1 }) => {
      const hits = [...(list.current?.querySelectorAll<HTMLElement>(".stretch") ?? [])];
      const at = hits.indexOf(document.activeElement as HTMLElement);
      hits[at === -1 ? 0 : Math.min(hits.length - 1, Math.max(0, at + by))]?.focus();
    }, []),
  );
  const go = (next: SearchWish): void => {
    if (next.query.trim() !== "") router.replace(hrefOf({ ...next, query: next.query.trim() }));
  };
  const close = (): void => setOpenId(null);
  return (
    <>
      <Bar title={text.places.search} />
      <div className="cols">
        <div className="main">
          <search>
            <form
              className="search-form"
              onSubmit={(event) => {
                event.preventDefault();
                go(draft);
              }}
            >
              <div className="search-line">
                <Field label={text.search.query} voice="own" ref={field} type="search" placeholder={text.search.placeholder} value={draft.query} onChange={(event) => setDraft({ ...draft, query: event.target.value })} />
                <Button tone="ink" type="submit" icon={Glass} disabled={draft.query.trim() === ""}>
                  {text.search.go}
                </Button>
              </div>
              <div className="search-dates">
                <Field label={text.search.since} type="date" value={draft.since} max={draft.until || undefined} onChange={(event) => setDraft({ ...draft, since: event.target.value })} />
                <Field label={text.search.until} type="date" value={draft.until} min={draft.since || undefined} onChange={(event) => setDraft({ ...draft, until: event.target.value })} />
                {draft.since !== "" || draft.until !== "" ? (
                  <Button size="small" tone="quiet" onClick={() => go({ ...draft, since: "", until: "" })}>
                    {text.search.clearDates}
                  </Button>
                ) : null}
              </div>
            </form>
          </search>
          {wish.query === "" ? (
            <div className="search-face">
              <Empty title={text.search.emptyTitle}>
                <p className="mute">{text.search.emptyDetail}</p>
                {status?.level === "words" ? <p className="small">{text.search.levelWords}</p> : null}
              </Empty>
            </div>
          ) : query.isPending ? (
            <div className="search-face">
              <Loading words={text.search.loading(status?.chunks ?? 0)} lines={5} />
            </div>
          ) : query.isError ? (
            <div className="search-face">
              <Trouble error={query.error} onRetry={() => void query.refetch()} />
            </div>
          ) : items.length === 0 ? (
            <div className="search-face">
              <Empty title={text.search.nothing(wish.query)}>
                <p className="mute">{text.search.nothingHint}</p>
              </Empty>
            </div>
          ) : (
            <>
              <p className="search-said num" role="status">
                <b>{text.search.found(items.length, query.data.considered)}</b>
                <span>{answerable(query.data.answerable, text)}</span>
                <span>{query.data.level === "words" ? text.search.levelWords : text.search.levelVectors}</span>
              </p>
              <ol className="hits" ref={list} aria-label={text.search.results}>
                {items.map((item) => (
                  <Hit key={item.id} item={item} question={wish.query} open={item.id === openId} onOpen={() => setOpenId(item.id)} />
                ))}
              </ol>
            </>
          )}
        </div>
        <Margin label={text.source.region} open={opened !== undefined} onClose={close}>
          {opened ? reader({ document: opened.document.id, start: opened.start, end: opened.end }, close, step) : items.length > 0 ? <p className="margin-hint small faint">{text.search.choose}</p> : null}
        </Margin>
      </div>
    </>
  );
}

function Hit({ item, question, open, onOpen }: { item: Item; question: string; open: boolean; onOpen: () => void }) {
  const text = useText();
  const language = useLanguage();
  return (
    <li className="hit" data-open={open}>
      <div>
        {item.speaker ? <p className="tiny faint said">{item.speaker}</p> : null}
        <Quote>{plain(item.content)}</Quote>
        <div className="hit-place">
          <SourceLine title={item.document.title} kind={item.document.kind} place={placeOf(item, text.evidence.page)} />
          {item.timestamp ? <span className="num">{formatDate(item.timestamp, language)}</span> : null}
          {item.document.private ? (
            <span className="chip">
              <Icon of={LockKeyhole} />
              {text.evidence.sealed}
            </span>
          ) : null}
        </div>
      </div>
      {item.signals ? (
        <div>
          <p className="sr">{text.evidence.whyFound}</p>
          <SignalBars signals={item.signals} matched={asTyped(item.matched, question)} />
        </div>
      ) : null}
      <button type="button" className="stretch" aria-label={`${item.document.title}: ${text.evidence.open}`} aria-expanded={open} onClick={onOpen} />
    </li>
  );
}
