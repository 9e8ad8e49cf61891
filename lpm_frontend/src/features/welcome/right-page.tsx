"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ArrowRight } from "lucide-react";
import { useCallback } from "react";
import type { Reading } from "@/lib/api/arrivals";
import { useDecide, useFindings, useUndecide } from "@/lib/api/findings";
import { questionsQuery } from "@/lib/api/identity";
import type { Finding } from "@/lib/api/types";
import { useLetFade } from "@/lib/fading";
import { useText } from "@/lib/i18n";
import { offerUndoWhen, undoLast, useUndoable } from "@/lib/undo";
import { FindingItem, type Verdict } from "@/ui/finding";
import { Icon } from "@/ui/icon";
import { Trouble } from "@/ui/trouble";

const SHOWN = 6;

/**
 * What was found in what was read, each with its place and with what one can say to it; and a
 * question to begin with.
 */
export function RightPage({
  readings,
  onAsk,
}: {
  readings: readonly Reading[];
  onAsk: (question: string) => void;
}) {
  const text = useText();
  const read = readings.filter(({ document }) => document?.state === "ready").length;
  const underWay = readings.filter(
    ({ arrival, document }) =>
      arrival.state === "waiting" || arrival.state === "sending" || document?.state === "received",
  ).length;
  const query = useFindings(SHOWN, read);
  const decide = useDecide();
  const { mutate: undecide } = useUndecide();
  const letFade = useLetFade();
  const found = query.data?.items ?? [];
  const total = query.data?.total ?? 0;
  const asked = useQuery({
    ...questionsQuery(1, read || total),
    placeholderData: keepPreviousData,
  });
  const question = asked.data?.items[0]?.question;
  const rest = Math.max(0, total - found.length);
  const { mutateAsync } = decide;
  const settle = useCallback(
    (finding: Finding, decision: Verdict, content = ""): void => {
      offerUndoWhen(mutateAsync({ id: finding.id, decision, content }), (done) => ({
        sentence: text.findings.did[decision],
        undo: () => undecide(done.id),
      }));
    },
    [mutateAsync, text, undecide],
  );
  const waiting = total === 0 && read === 0;
  const title =
    total > 0
      ? text.findings.title(total)
      : underWay > 0
        ? text.welcome.readingTitle(underWay)
        : read > 0
          ? text.welcome.readTitle(read)
          : text.welcome.waitingTitle;
  const lead =
    total > 0 ? text.findings.lead : read > 0 ? text.findings.allDecided : text.welcome.waitingLead;
  return (
    <section className="leaf" aria-label={title}>
      <h2 className="big num">{title}</h2>
      <p className="lead">{lead}</p>
      {underWay > 0 && total > 0 ? (
        <p className="small mute num" role="status">
          {text.welcome.soFar(readings.length - underWay, readings.length)}
        </p>
      ) : null}
      {question || (read > 0 && asked.isFetching) ? (
        <div className="first-question">
          {question ? (
            <>
              <p className="label">{text.findings.askFirst}</p>
              <button type="button" className="starter own" onClick={() => onAsk(question)}>
                <span>{question}</span>
                <Icon of={ArrowRight} />
              </button>
            </>
          ) : null}
        </div>
      ) : null}
      <div className="learn" aria-live="polite">
        {decide.isError ? <Trouble error={decide.error} /> : null}
        {query.isError ? (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        ) : null}
        {found.map((finding) => (
          <FindingItem
            key={finding.id}
            finding={finding}
            busy={decide.isPending}
            onDecide={(verdict, content) => settle(finding, verdict, content)}
            onFade={letFade}
          />
        ))}
        {underWay > 0 || waiting ? (
          <div className="it" aria-hidden="true">
            <span className="ghost" />
            {waiting ? <span className="ghost w2" /> : null}
          </div>
        ) : null}
        {waiting ? (
          <div className="it" aria-hidden="true">
            <span className="ghost w1" />
            <span className="ghost w2" />
          </div>
        ) : null}
      </div>
      <div className="folio num">
        <WayBack />
        <span>{rest === 0 ? " " : text.welcome.more(rest)}</span>
        <span aria-hidden="true">2</span>
      </div>
    </section>
  );
}

/** The last decision, and the way back: first use has no spine whose foot could hold it. */
function WayBack() {
  const text = useText();
  const last = useUndoable();
  return last ? (
    <span className="way-back" role="status">
      {last.sentence}{" "}
      <button type="button" className="link" onClick={undoLast}>
        {text.frame.undo}
      </button>
    </span>
  ) : null;
}
