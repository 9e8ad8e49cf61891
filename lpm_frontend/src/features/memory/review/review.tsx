"use client";
import { ArrowLeft, Check, Undo2, X } from "lucide-react";
import Link from "next/link";
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { decideMany, takeBackMany, useDecided, waitingPage } from "@/lib/api/findings";
import { useSettings } from "@/lib/api/identity";
import type { Finding } from "@/lib/api/types";
import { useCommand } from "@/lib/commands";
import { useDock } from "@/lib/dock";
import { useText } from "@/lib/i18n";
import { useReviewText } from "@/lib/i18n/review";
import { offerUndo } from "@/lib/undo";
import { Button, IconButton } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Margin } from "@/ui/margin";
import { Meter } from "@/ui/meter";
import { Trouble } from "@/ui/trouble";
import type { ReaderOf } from "../beside";
import type { PlaceOfWords } from "../statements/panel";
import { MemoryBar } from "../tabs";
import * as model from "./model";
import type { Review, Verdict } from "./model";
import { ReviewRow } from "./row";
import { createSession, type Session, type Sitting } from "./session";

/** All that waits, in one list that is gone through with a few keys. */
export function ReviewPlace({ reader }: { reader: ReaderOf }) {
  const text = useText();
  const t = useReviewText();
  const [session, sitting] = useSession();
  const [place, setPlace] = useState<{ id: string; words: PlaceOfWords } | null>(null);
  const { review, loading, trouble } = sitting;
  useCommand(
    "stop",
    useCallback(() => {
      if (place) setPlace(null);
      else session.change(model.unchoose);
    }, [place, session]),
  );
  const none = review.rows.length === 0;
  return (
    <>
      <MemoryBar view="today" />
      <div className="cols">
        <div className="main review">
          <Link className="review-back small" href="/memory?view=today">
            <Icon of={ArrowLeft} />
            {t.back}
          </Link>
          {trouble !== null && none ? (
            <Trouble error={trouble} onRetry={session.load} />
          ) : loading && none ? (
            <Loading words={t.loading} lines={6} />
          ) : none && model.done(review) + model.leftOpen(review) === 0 ? (
            <Empty title={t.empty}>
              <p className="mute">{review.further ? t.older : t.emptyHint}</p>
            </Empty>
          ) : (
            <List
              session={session}
              sitting={sitting}
              shown={place?.id ?? ""}
              onOpen={({ id, document, start, end }) =>
                setPlace({ id, words: { document: document.id, start, end } })
              }
            />
          )}
        </div>
        <Margin label={text.source.region} open={place !== null} onClose={() => setPlace(null)}>
          {place ? (
            reader(place.words, () => setPlace(null))
          ) : (
            <p className="margin-hint small faint">{t.choose}</p>
          )}
        </Margin>
      </div>
    </>
  );
}

function useSession(): readonly [Session, Sitting] {
  const changed = useDecided();
  const [session] = useState(() =>
    createSession({ page: waitingPage, decide: decideMany, takeBack: takeBackMany, changed }),
  );
  const sitting = useSyncExternalStore(session.subscribe, session.get, session.get);
  useEffect(() => session.load(), [session]);
  return [session, sitting];
}

interface ListProps {
  session: Session;
  sitting: Sitting;
  /** The suggestion whose place is open. */
  shown: string;
  onOpen: (finding: Finding) => void;
}

function List({ session, sitting, shown, onOpen }: ListProps) {
  const t = useReviewText();
  const { review, error } = sitting;
  const [said, setSaid] = useState("");
  const unsaved = model.failedActs(review).flatMap((act) => act.rows).length;
  const decide = useCallback(
    (verdict: Verdict, rows: readonly Finding[]): void => {
      const act = session.decide(verdict, rows);
      if (!act) return;
      const sentence = t.did[verdict](rows.length);
      setSaid(sentence);
      offerUndo({ sentence, undo: () => session.undo(act.id) });
    },
    [session, t],
  );
  const undo = useCallback((): void => {
    const last = session.get().review.acts.at(-1);
    if (last) setSaid(t.tookBack(last.rows.length));
    session.undoLast();
  }, [session, t]);
  const { list, focus } = useListKeys(session, review, { decide, undo });
  const choose = useCallback(
    (at: number, extend: boolean): void =>
      session.change((now) => (extend ? model.go(now, at, true) : model.choose(now, at))),
    [session],
  );
  const open = useCallback(
    (at: number): void => {
      session.change((now) => ({ ...now, at }));
      const finding = session.get().review.rows[at];
      if (finding) onOpen(finding);
    },
    [onOpen, session],
  );
  const one = useCallback(
    (verdict: Verdict, finding: Finding): void => {
      decide(verdict, [finding]);
      requestAnimationFrame(focus); // the button that was pressed is gone
    },
    [decide, focus],
  );
  return (
    <section aria-label={t.title}>
      <Head review={review} />
      <p className="sr" role="status">
        {said === ""
          ? ""
          : t.told(said, t.progress(model.done(review), review.all, review.further))}
      </p>
      {error === null ? null : (
        <Trouble error={error} {...(unsaved > 0 ? { onRetry: session.retry } : {})}>
          {unsaved > 0 ? <span className="small">{t.notSaved(unsaved)}</span> : null}
        </Trouble>
      )}
      <ul className="review-list" aria-label={t.list} ref={list}>
        {review.rows.map((finding, at) => (
          <ReviewRow
            key={finding.id}
            finding={finding}
            at={at}
            standing={model.standingOf(review, finding.id)}
            here={at === review.at}
            chosen={review.chosen.has(finding.id)}
            shown={finding.id === shown}
            onOpen={open}
            onChoose={choose}
            onDecide={one}
          />
        ))}
      </ul>
      <Foot session={session} sitting={sitting} />
      <Acts review={review} onDecide={decide} onUndo={undo} session={session} />
    </section>
  );
}

/** How far one is. */
function Head({ review }: { review: Review }) {
  const t = useReviewText();
  const done = model.done(review);
  return (
    <header className="review-head">
      <h2>{t.title}</h2>
      <p className="num review-progress">{t.progress(done, review.all, review.further)}</p>
      <Meter value={review.all === 0 ? 1 : done / review.all} label={t.meter} />
      <p className="small mute">{t.lead}</p>
      <p className="small mute review-keys">{t.keys}</p>
    </header>
  );
}

/** What comes after the last row. */
function Foot({ session, sitting }: { session: Session; sitting: Sitting }) {
  const t = useReviewText();
  const { review, loading, trouble } = sitting;
  const open = model.openOnPage(review).length;
  const seen = model.done(review) + model.leftOpen(review);
  const left = model.leftOpen(review);
  const further = review.all > seen;
  return (
    <div className="review-foot">
      {open === 0 && further ? <p className="small mute">{t.pageDone}</p> : null}
      {!further ? (
        <p className="small mute">
          {left > 0 ? t.endLeft(left) : t.end} {review.further ? t.older : ""}
        </p>
      ) : null}
      {trouble === null ? null : <Trouble error={trouble} onRetry={session.next} />}
      {further ? (
        <Button tone={open === 0 ? "ink" : "plain"} disabled={loading} onClick={session.next}>
          {t.next}
        </Button>
      ) : left > open || review.further ? (
        <Button disabled={loading} onClick={session.load}>
          {review.further && left === 0 ? t.olderDo : t.again}
        </Button>
      ) : null}
    </div>
  );
}

/** What can be done to what is selected, or to all that is shown; always in sight. */
function Acts({
  review,
  session,
  onDecide,
  onUndo,
}: {
  review: Review;
  session: Session;
  onDecide: (verdict: Verdict, rows: readonly Finding[]) => void;
  onUndo: () => void;
}) {
  const t = useReviewText();
  const dock = useDock<HTMLElement>();
  const chosen = review.chosen.size > 0 ? model.meant(review) : [];
  const open = model.openOnPage(review);
  const rows = chosen.length > 0 ? chosen : open;
  return (
    <section className="review-bar" ref={dock} aria-label={t.bar}>
      {chosen.length > 0 ? (
        <p className="num" role="status">
          <b>{t.chosen(chosen.length)}</b>
        </p>
      ) : null}
      <Button
        size="small"
        icon={Check}
        disabled={rows.length === 0}
        onClick={() => onDecide("keep", rows)}
      >
        {chosen.length > 0 ? t.keep : t.keepAll(open.length)}
      </Button>
      <Button
        size="small"
        icon={X}
        disabled={rows.length === 0}
        onClick={() => onDecide("dismiss", rows)}
      >
        {chosen.length > 0 ? t.dismiss : t.dismissAll(open.length)}
      </Button>
      <Button
        size="small"
        tone="quiet"
        icon={Undo2}
        disabled={review.acts.length === 0}
        onClick={onUndo}
      >
        {t.undo}
      </Button>
      {chosen.length > 0 ? (
        <IconButton icon={X} label={t.unchoose} onClick={() => session.change(model.unchoose)} />
      ) : null}
    </section>
  );
}

interface Keys {
  readonly decide: (verdict: Verdict, rows: readonly Finding[]) => void;
  readonly undo: () => void;
}

/** The keys of the list; the row that one is at has the focus. */
function useListKeys(session: Session, review: Review, { decide, undo }: Keys) {
  const list = useRef<HTMLUListElement>(null);
  const singleKeys = useSettings().data?.single_keys !== false;
  const focus = useCallback((): void => {
    const { at } = session.get().review;
    const row = list.current?.querySelector<HTMLElement>(`[data-at="${String(at)}"]`);
    row?.querySelector<HTMLElement>(".review-words")?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  }, [session]);
  const step = useCallback(
    (by: number, extend: boolean): void => {
      const within = list.current?.contains(document.activeElement) === true;
      session.change((now) => model.go(now, within || extend ? now.at + by : now.at, extend));
      requestAnimationFrame(focus);
    },
    [focus, session],
  );
  useCommand(
    "step",
    useCallback(({ by }: { by: 1 | -1 }) => step(by, false), [step]),
  );
  // Where the focus was on a row, it goes on with it: the next key means what stands there.
  const { at } = review;
  useLayoutEffect(() => {
    if (list.current?.contains(document.activeElement)) focus();
  }, [at, focus]);
  // Another page came: it is begun with its first row.
  const first = review.rows[0]?.id;
  const before = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (before.current !== undefined && before.current !== first) focus();
    before.current = first;
  }, [first, focus]);
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const here = event.target instanceof Element ? event.target : null;
      const elsewhere = here?.closest("dialog, .margin, textarea, input:not([type=checkbox])");
      if (elsewhere || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return;
      const now = session.get().review;
      const inList = here !== null && list.current?.contains(here) === true;
      const letters: Readonly<Record<string, () => void>> = {
        a: () => decide("keep", model.meant(now)),
        d: () => decide("dismiss", model.meant(now)),
        A: () => decide("keep", model.openOnPage(now)),
        D: () => decide("dismiss", model.openOnPage(now)),
        u: undo,
        x: () => session.change((review_) => model.choose(review_, review_.at)),
        J: () => step(1, true),
        K: () => step(-1, true),
      };
      const arrows: Readonly<Record<string, () => void>> = {
        ArrowDown: () => step(1, event.shiftKey),
        ArrowUp: () => step(-1, event.shiftKey),
      };
      const act =
        (inList ? arrows[event.key] : undefined) ?? (singleKeys ? letters[event.key] : undefined);
      if (!act) return;
      event.preventDefault();
      act();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [decide, session, singleKeys, step, undo]);
  return { list, focus };
}
