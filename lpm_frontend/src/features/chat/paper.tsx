"use client";
/**
 * A conversation on paper: what was asked and answered, with every source as a numbered note at the
 * end.
 */
import { useEffect } from "react";
import { createPortal } from "react-dom";
import type { ConversationWhole } from "@/lib/api/types";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { plain } from "@/lib/plain";
import { placeOf } from "@/ui/evidence";
import { historyOf } from "./exchanges";
import { isMarkdown } from "./say";
import { reducedByKey, type ReducedPart } from "./threads";
import { Written } from "./written";

/** How long what draws Markdown may take to come. */
const DRAWN_MS = 400;
const nowhere = (): void => undefined;

export default function Paper({
  conversation,
  onDone,
}: {
  conversation: ConversationWhole;
  onDone: () => void;
}) {
  const text = useText();
  const language = useLanguage();
  useEffect(() => {
    document.documentElement.dataset["printing"] = "";
    const timer = setTimeout(() => {
      void document.fonts.ready.then(() => window.print());
    }, DRAWN_MS);
    window.addEventListener("afterprint", onDone);
    return () => {
      clearTimeout(timer);
      delete document.documentElement.dataset["printing"];
      window.removeEventListener("afterprint", onDone);
    };
  }, [onDone]);
  const exchanges = historyOf(conversation.items);
  const reduced = reducedByKey(exchanges, conversation.threads ?? []);
  const notes: { title: string; place: string; quote: string }[] = [];
  const numbered = exchanges.map((exchange) => {
    const numbers = new Map<number, number>();
    for (const citation of exchange.answer?.citations.toSorted((a, b) => a.n - b.n) ?? []) {
      numbers.set(
        citation.n,
        notes.push({
          title: citation.title,
          place: placeOf({ source: citation.source, anchor: citation.anchor ?? null }, text),
          quote: citation.quote,
        }),
      );
    }
    return { exchange, numbers };
  });
  return createPortal(
    <main className="paper-sheet">
      <header>
        <h1>{conversation.title || text.chat.untitled}</h1>
        <p>
          {formatDate(conversation.created_at, language)} ·{" "}
          {text.talk.printed(formatDate(new Date().toISOString(), language))}
        </p>
      </header>
      {numbered.map(({ exchange, numbers }) => (
        <section key={exchange.key}>
          {exchange.gone ? <PaperSummary part={reduced.get(exchange.key)} /> : null}
          {exchange.question === "" ? null : <h2 className="own">{exchange.question}</h2>}
          {exchange.answer?.speaker ? (
            <p className="aside">{exchange.answer.speaker.name || text.chat.roleSomebody}</p>
          ) : null}
          {exchange.answer?.parts.map((part, index) => {
            const marks = part.citations.map((n) => numbers.get(n)).filter((n) => n !== undefined);
            const sup = marks.length > 0 ? <sup>{marks.join(", ")}</sup> : null;
            if (part.kind === "quotation")
              return (
                <blockquote key={index} className="own">
                  {plain(part.text)}
                  {sup}
                </blockquote>
              );
            if (part.kind === "statement" && exchange.answer && isMarkdown(part.text))
              return (
                <div key={index}>
                  <Written
                    parts={[{ ...part, citations: [] }]}
                    answer={exchange.answer}
                    lit={null}
                    onLight={nowhere}
                    onOpen={nowhere}
                  />
                  {sup}
                </div>
              );
            return (
              <p key={index} className={part.kind === "note" ? "aside" : undefined}>
                {part.text.trim()}
                {sup}
              </p>
            );
          })}
        </section>
      ))}
      {notes.length > 0 ? (
        <section className="paper-notes">
          <h2>{text.talk.notes}</h2>
          <ol>
            {notes.map((note, index) => (
              <li key={index}>
                <span className="mono">
                  {note.title}
                  {note.place}
                </span>
                {note.quote === "" ? null : <q className="own">{plain(note.quote)}</q>}
              </li>
            ))}
          </ol>
        </section>
      ) : null}
    </main>,
    document.body,
  );
}

/** What was kept of exchanges whose words are gone. */
function PaperSummary({ part }: { part: ReducedPart | undefined }) {
  const text = useText();
  if (!part) return null;
  return (
    <>
      <p className="aside">{text.keeping.onlySummaryOf(part.turns)}</p>
      {part.summary.map((sentence) => (
        <p key={`${sentence.turn} ${sentence.text}`} className={sentence.own ? "own" : undefined}>
          {sentence.text}
        </p>
      ))}
    </>
  );
}
