"use client";
import { Check, Undo2, X } from "lucide-react";
import { useCallback, useState, useSyncExternalStore } from "react";
import type { Finding } from "@/lib/api/types";
import { useDock } from "@/lib/dock";
import { useReviewText } from "@/lib/i18n/review";
import { offerUndo } from "@/lib/undo";
import { Button, IconButton } from "@/ui/button";
import { Meter } from "@/ui/meter";
import { Trouble } from "@/ui/trouble";
import { useListKeys } from "./keys";
import * as model from "./model";
import type { Review, Verdict } from "./model";
import { ReviewRow } from "./row";
import type { Session, Sitting } from "./session";

/** The sitting as it is now. */
export const useSitting = (session: Session): Sitting =>
  useSyncExternalStore(session.subscribe, session.get, session.get);

interface ListProps {
  session: Session;
  /** The suggestion whose place is open. */
  shown: string;
  onOpen: (finding: Finding) => void;
}

/** The suggestions of a page, how far one is, and what can be done. */
export function ReviewList({ session, shown, onOpen }: ListProps) {
  const t = useReviewText();
  const sitting = useSitting(session);
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
      {further || (open > 0 && left === open) ? null : (
        <p className="small mute">
          {left > 0 ? t.endLeft(left) : t.end} {review.further ? t.older : ""}
        </p>
      )}
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
