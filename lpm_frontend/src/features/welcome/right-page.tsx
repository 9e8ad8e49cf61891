"use client";
import { useQueries } from "@tanstack/react-query";
import type { Reading } from "@/lib/api/arrivals";
import { passagesQuery } from "@/lib/api/documents";
import type { Passage } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { plain } from "@/lib/plain";
import { placeOf, Quote, SourceLine } from "@/ui/evidence";

const DOCUMENTS = 4;
const PASSAGES = 2;
/** Of the first passages, those that say something are shown before a heading or a greeting. */
const LOOKED_AT = 5;
const SAYS_SOMETHING = 60;

const telling = (passages: readonly Passage[], most: number): readonly Passage[] =>
  passages.toSorted((a, b) => Number(b.text.length >= SAYS_SOMETHING) - Number(a.text.length >= SAYS_SOMETHING)).slice(0, most);

/** What was read: how much, and the first passages of the newest documents, each with its place. */
export function RightPage({ readings }: { readings: readonly Reading[] }) {
  const text = useText();
  const read = readings.flatMap(({ document }) => (document?.state === "ready" ? [document] : []));
  const underWay = readings.filter(({ arrival, document }) => arrival.state === "waiting" || arrival.state === "sending" || document?.state === "received").length;
  const newest = read.toReversed().slice(0, DOCUMENTS);
  const passages = useQueries({
    queries: newest.map((document) => passagesQuery(document.id, LOOKED_AT)),
    combine: (results) => results.map((result) => result.data?.items ?? []),
  });
  const shown = newest.flatMap((document, index) => telling(passages[index] ?? [], newest.length > 2 ? 1 : PASSAGES).map((passage) => ({ document, passage })));
  const all = read.reduce((sum, document) => sum + document.passages, 0);
  const rest = Math.max(0, all - shown.length);
  const waiting = readings.length === 0;
  const title = waiting ? text.welcome.waitingTitle : underWay > 0 ? text.welcome.readingTitle(underWay) : read.length > 0 ? text.welcome.readTitle(read.length) : text.welcome.waitingTitle;
  return (
    <section className="leaf" aria-label={title}>
      <h2 className="big num">{title}</h2>
      <p className="lead">{read.length > 0 ? text.welcome.readLead(all) : text.welcome.waitingLead}</p>
      <div className="learn" aria-live="polite">
        {shown.map(({ document, passage }) => (
          <div className="it" key={passage.id}>
            <Quote>{plain(passage.text)}</Quote>
            <div className="m">
              <span className="kind">{text.evidence.observed}</span>
              <SourceLine title={document.title} kind={document.kind} place={placeOf(passage, text.evidence.page)} />
            </div>
          </div>
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
      <p className="folio num">
        <span>{rest === 0 ? " " : underWay > 0 ? text.welcome.moreReading(rest) : text.welcome.more(rest)}</span>
        <span aria-hidden="true">2</span>
      </p>
    </section>
  );
}
