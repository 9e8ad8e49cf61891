"use client";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { recallQuery } from "@/lib/api/recall";
import type { Item } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { sentencesOfProblem } from "@/lib/problem";
import { Button } from "@/ui/button";
import { CopyButton, Failed, Loading } from "@/ui/faces";
import { Seal } from "@/ui/seal";
import { Trouble } from "@/ui/trouble";
import { Announcer, PartOfAnswer } from "./answer";
import { notesOf, type Answer, type Exchange, type NoteOf } from "./exchanges";
import { Note } from "./note";
import { useLevelNotes } from "./placing";

/** How many passages stand in the margin before the first word says which are used. */
const SHOWN_BEFORE = 5;
const EXPLAINED = 50;

/** The same passages, with the reasons that recall gives for them now. */
function explained(evidence: readonly Item[], found: readonly Item[]): Item[] {
  const reasons = new Map(found.map((item) => [item.id, item]));
  return evidence.map((item) => ({ ...item, signals: reasons.get(item.id)?.signals ?? null, matched: reasons.get(item.id)?.matched ?? [] }));
}

interface ExchangeProps {
  exchange: Exchange;
  name: string;
  memories: number;
  wide: boolean;
  newest: boolean;
  onOpen: (note: NoteOf, all: readonly NoteOf[]) => void;
  onAskAgain: (question: string) => void;
}

/** A question in the person's serif, the answer in the node's sans, and level with each sentence what it rests on. */
export function ExchangeView({ exchange, name, memories, wide, newest, onOpen, onAskAgain }: ExchangeProps) {
  const { answer } = exchange;
  return (
    <article className={newest ? "exchange newest" : "exchange"}>
      {answer ? (
        <AnswerView question={exchange.question} answer={answer} name={name} memories={memories} wide={wide} onOpen={onOpen} onAskAgain={onAskAgain} />
      ) : (
        <div className="exchange-page">
          <h2 className="ask own">{exchange.question}</h2>
        </div>
      )}
    </article>
  );
}

function AnswerView({ question, answer, name, memories, wide, onOpen, onAskAgain }: Omit<ExchangeProps, "exchange" | "newest"> & { question: string; answer: Answer }) {
  const text = useText();
  const [lit, setLit] = useState<number | null>(null);
  const [why, setWhy] = useState(false);
  const [unused, setUnused] = useState(false);
  const page = useRef<HTMLDivElement>(null);
  const margin = useRef<HTMLDivElement>(null);
  // What is kept with a turn is where it stands, not why it was found: asked again when somebody wants to know.
  const unexplained = answer.evidence.some((item) => item.signals === null);
  const found = useQuery({ ...recallQuery({ query: question, k: EXPLAINED, since: "", until: "" }), enabled: why && unexplained }).data?.items;
  const { cited, others } = useMemo(() => notesOf(unexplained && found ? { ...answer, evidence: explained(answer.evidence, found) } : answer), [answer, found, unexplained]);
  const underWay = answer.phase === "looking" || answer.phase === "reading" || answer.phase === "writing";
  const nearest = answer.abstained || (!underWay && cited.length === 0);
  const shown = underWay ? others.slice(0, Math.max(0, SHOWN_BEFORE - cited.length)) : unused || why ? others : nearest ? others.slice(0, 2) : [];
  const open = (note: NoteOf): void => onOpen(note, [...cited, ...others]);
  useLevelNotes(page, margin, wide, [cited, shown, why, answer.parts]);
  const note = (one: NoteOf, brief = false) => <Note key={one.key} note={one} question={question} lit={one.n !== null && one.n === lit} why={why} brief={brief} onLight={setLit} onOpen={open} />;
  const rest = others.length - (nearest ? Math.min(2, others.length) : 0);
  const after = (
    <>
      {shown.length > 0 && nearest && !underWay ? (
        <p className="margin-word" data-after=".by">
          {text.chat.nearest}
        </p>
      ) : null}
      {shown.map((one) => note(one))}
      {!underWay && rest > 0 ? (
        <p className="rel">
          <button type="button" className="link" aria-expanded={unused} onClick={() => setUnused(!unused)}>
            {unused ? text.chat.hideFound : text.chat.alsoFound(rest)}
          </button>
        </p>
      ) : null}
    </>
  );
  return (
    <>
      <div className="exchange-page" ref={page}>
        <h2 className="ask own">{question}</h2>
        <Byline answer={answer} name={name} memories={memories} cited={cited.length} />
        {answer.parts.map((part, index) => (
          <div key={index} className="part" data-cites={part.citations.join(" ")}>
            <PartOfAnswer
              part={part}
              answer={answer}
              lit={lit}
              last={index === answer.parts.length - 1}
              onLight={setLit}
              onOpen={(n) => {
                const found = cited.find((candidate) => candidate.n === n);
                if (found) open(found);
              }}
            />
            {wide ? null : part.citations.map((n) => cited.filter((one) => one.n === n && firstPart(answer, n) === index).map((one) => note(one, part.kind === "quotation")))}
          </div>
        ))}
        {answer.phase === "reading" ? (
          <p className="ans waiting-caret" aria-hidden="true">
            <span className="caret" />
          </p>
        ) : null}
        {answer.phase === "looking" ? <Loading words={text.chat.looking(memories)} lines={2} /> : null}
        {answer.phase === "done" && answer.parts.length === 0 ? <p className="ans mute">{text.chat.saidNothing}</p> : null}
        {answer.phase === "stopped" ? <p className="small faint">{text.chat.stopped}</p> : null}
        {answer.phase === "failed" ? <FailedAnswer answer={answer} onAskAgain={() => onAskAgain(question)} /> : null}
        {wide ? null : <div className="folded">{after}</div>}
        {underWay ? null : (
          <div className="after">
            {answer.phase === "stopped" ? (
              <Button size="small" tone="quiet" onClick={() => onAskAgain(question)}>
                {text.chat.askAgain}
              </Button>
            ) : null}
            {answer.parts.length > 0 ? <CopyButton value={answer.parts.map((part) => part.text.trim()).join("\n\n")} label={text.chat.copy} done={text.chat.copied} /> : null}
            {cited.length + others.length > 0 ? (
              <button type="button" className="link tiny push" aria-expanded={why} onClick={() => setWhy(!why)}>
                {why ? text.chat.whyNot : text.chat.why(cited.length || shown.length || others.length)}
              </button>
            ) : null}
          </div>
        )}
        <Announcer answer={answer} />
      </div>
      {wide ? (
        <div className="exchange-margin" ref={margin} role="group" aria-label={text.chat.sources}>
          {cited.map((one) => note(one, answer.parts.some((part) => part.kind === "quotation" && one.n !== null && part.citations.includes(one.n))))}
          {after}
        </div>
      ) : null}
    </>
  );
}

/** A note folds under the first paragraph that rests on it, and only there. */
const firstPart = (answer: Answer, n: number): number => answer.parts.findIndex((part) => part.citations.includes(n));

function Byline({ answer, name, memories, cited }: { answer: Answer; name: string; memories: number; cited: number }) {
  const text = useText();
  const word = (): string => {
    switch (answer.phase) {
      case "looking":
        return text.chat.looking(memories);
      case "reading":
        return text.chat.thinking;
      case "writing":
        return text.chat.answering;
      case "done":
      case "stopped":
      case "failed":
        return answer.abstained ? text.chat.abstained : text.chat.answered;
    }
  };
  const counted = cited > 0 ? text.counts.sources(cited) : answer.phase === "reading" ? text.counts.memories(answer.evidence.length) : "";
  return (
    <p className="by">
      <Seal name={name} size="xs" />
      <span>
        <b>{word()}</b>
        {counted === "" ? "" : ` · ${counted}`}
      </span>
      {answer.model ? <span className="by-model">{answer.model}</span> : null}
    </p>
  );
}

function FailedAnswer({ answer, onAskAgain }: { answer: Answer; onAskAgain: () => void }) {
  const text = useText();
  const again = (
    <Button size="small" tone="quiet" onClick={onAskAgain}>
      {text.chat.askAgain}
    </Button>
  );
  if (answer.error) return <Trouble error={answer.error}>{again}</Trouble>;
  const problem = answer.problem ? sentencesOfProblem(answer.problem, text) : null;
  return (
    <Failed
      title={answer.parts.length > 0 || !problem ? text.chat.failedTitle : problem.title}
      detail={problem ? problem.detail : text.chat.failedDetail}
      hint={problem?.hint ?? ""}
      report={problem?.report ?? ""}
    >
      {again}
    </Failed>
  );
}
