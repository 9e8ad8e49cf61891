"use client";
import { useQuery } from "@tanstack/react-query";
import { Columns2, RotateCcw } from "lucide-react";
import { memo, useMemo, useRef, useState } from "react";
import { recallQuery } from "@/lib/api/recall";
import type { Item } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { Button, IconButton } from "@/ui/button";
import { placeOf } from "@/ui/evidence";
import { CopyButton, Loading } from "@/ui/faces";
import { useTellActs, type TellActs } from "./acts";
import { Announcer } from "./answer";
import { setBeside, useOther } from "./beside";
import { Byline } from "./byline";
import { notesOf, type Answer, type Exchange, type NoteOf } from "./exchanges";
import { FailedAnswer } from "./failed-answer";
import { InMind } from "./in-mind";
import { LargerModel } from "./larger-model";
import { Judging } from "./judging";
import { Note } from "./note";
import { useLevelNotes } from "./placing";
import { Pair } from "./pair";
import { Question, Unanswered, type Branch } from "./question";
import { Said } from "./said";
import { markdownOf } from "./say";
import { Thought } from "./thought";
import { Variants } from "./variants";

/** How many passages stand in the margin before the first word says which are used. */
const SHOWN_BEFORE = 5;
const EXPLAINED = 50;

/** The same passages, with the reasons that recall gives for them now. */
function explained(evidence: readonly Item[], found: readonly Item[]): Item[] {
  const reasons = new Map(found.map((item) => [item.id, item]));
  return evidence.map((item) => ({
    ...item,
    signals: reasons.get(item.id)?.signals ?? null,
    matched: reasons.get(item.id)?.matched ?? [],
  }));
}

interface ExchangeProps {
  conversation: string;
  exchange: Exchange;
  /** A thread begins with it, or the conversation. */
  begins: boolean;
  /** Conversations in which this question is asked differently. */
  branches: readonly Branch[] | undefined;
  /** Something is being written in this conversation. */
  busy: boolean;
  name: string;
  passages: number;
  wide: boolean;
  newest: boolean;
  /** The first answer here that is none, under which a larger model is named. */
  wanting: boolean;
  /** A training is in use, so that the base model can answer beside it. */
  trained: boolean;
  onOpen: (note: NoteOf, all: readonly NoteOf[]) => void;
  /** Asks it once more, the same role where one was asked. */
  onAskAgain: (question: string, to: string) => Promise<void>;
  onAnswerAgain: (asked: string, question: string, trained: boolean) => Promise<void>;
  /** Has the other model answer beside this answer. */
  onCompare: (asked: string, question: string, answer: Answer) => Promise<void>;
  onBranch: (asked: string, question: string) => Promise<void>;
  onActs: TellActs;
}

/**
 * A question in the person's serif, the answer in the node's sans, and level with each sentence
 * what it rests on.
 */
export const ExchangeView = memo(function ExchangeView(props: ExchangeProps) {
  const { exchange, newest } = props;
  return (
    <article
      className={`exchange${newest ? " newest" : ""}${exchange.question === "" ? " cued" : ""}`}
      tabIndex={-1}
      data-key={exchange.key}
      aria-label={exchange.question === "" ? exchange.answer?.speaker?.name : undefined}
    >
      {exchange.answer ? (
        <AnswerView {...props} answer={exchange.answer} />
      ) : (
        <div className="exchange-page">
          <Question {...props} />
          {exchange.asked === "" || props.busy ? null : (
            <Unanswered onAskAgain={() => void props.onAskAgain(exchange.question, "")} />
          )}
        </div>
      )}
    </article>
  );
});

function AnswerView(props: ExchangeProps & { answer: Answer }) {
  const {
    conversation,
    exchange,
    answer,
    busy,
    name,
    passages,
    wide,
    onOpen,
    onAskAgain,
    onAnswerAgain,
    onCompare,
    onActs,
  } = props;
  const { question } = exchange;
  const text = useText();
  const [lit, setLit] = useState<number | null>(null);
  const [why, setWhy] = useState(false);
  const [unused, setUnused] = useState(false);
  const other = useOther(conversation, exchange);
  const page = useRef<HTMLDivElement>(null);
  const margin = useRef<HTMLDivElement>(null);
  const copy = useRef<() => Promise<void>>(null);
  // What is kept with a turn is where it stands, not why it was found: asked again when somebody
  // wants to know.
  const unexplained = answer.evidence.some((item) => item.signals === null);
  const found = useQuery({
    ...recallQuery({ query: question, k: EXPLAINED, since: "", until: "" }),
    enabled: why && unexplained,
  }).data?.items;
  const changed = answer.citations.some((citation) => citation.struck);
  const { cited, others, lately } = useMemo(
    () =>
      notesOf(
        unexplained && found ? { ...answer, evidence: explained(answer.evidence, found) } : answer,
      ),
    [answer, found, unexplained],
  );
  const underWay =
    answer.phase === "looking" || answer.phase === "reading" || answer.phase === "writing";
  const nearest = answer.abstained || (!underWay && cited.length === 0);
  const shown = underWay
    ? others.slice(0, Math.max(0, SHOWN_BEFORE - cited.length))
    : unused || why
      ? others
      : nearest
        ? others.slice(0, 2)
        : [];
  const open = (note: NoteOf): void => onOpen(note, [...cited, ...others]);
  const openNumber = (n: number): void => {
    const found = cited.find((candidate) => candidate.n === n);
    if (found) open(found);
  };
  useLevelNotes(page, margin, wide, [cited, shown, why, answer.parts, other]);
  const note = (one: NoteOf, brief = false) => (
    <Note
      key={one.key}
      note={one}
      question={question}
      lit={one.n !== null && one.n === lit}
      why={why}
      brief={brief}
      onLight={setLit}
      onOpen={open}
    />
  );
  const rest = others.length - (nearest ? Math.min(2, others.length) : 0);
  const canAgain = exchange.asked !== "" && answer.parts.length > 0 && !busy;
  const doAgain = (): void => void onAnswerAgain(exchange.asked, question, answer.voice === "self");
  const again = canAgain ? (
    <IconButton icon={RotateCcw} label={text.talk.again} worded onClick={doAgain} />
  ) : null;
  const inMargin = [...cited, ...shown];
  useTellActs(onActs, exchange.key, {
    copy: () => void copy.current?.(),
    again: canAgain && !underWay ? doAgain : undefined,
    openSource: (which) => {
      const one = inMargin.at(which === "first" ? 0 : -1);
      if (one) open(one);
    },
  });
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
          <button
            type="button"
            className="link"
            aria-expanded={unused}
            onClick={() => setUnused(!unused)}
          >
            {unused ? text.chat.hideFound : text.chat.alsoFound(rest)}
          </button>
        </p>
      ) : null}
      {underWay ? null : <InMind conversation={conversation} answer={answer} lately={lately} />}
    </>
  );
  return (
    <>
      <div className="exchange-page" ref={page}>
        <Question {...props} />
        {other ? (
          <Pair answer={answer} other={other} name={name} passages={passages} onOpen={onOpen}>
            <Said answer={answer} lit={lit} onLight={setLit} onOpen={openNumber} levelled />
          </Pair>
        ) : (
          <>
            <Byline answer={answer} name={name} passages={passages} cited={cited.length} />
            <Thought answer={answer} />
            <Said
              answer={answer}
              lit={lit}
              onLight={setLit}
              onOpen={openNumber}
              levelled
              {...(wide
                ? {}
                : {
                    notes: (numbers, quoted) =>
                      cited
                        .filter((one) => one.n !== null && numbers.includes(one.n))
                        .map((one) => note(one, quoted)),
                  })}
            />
          </>
        )}
        {answer.phase === "reading" ? (
          <p className="ans waiting-caret" aria-hidden="true">
            <span className="caret" />
          </p>
        ) : null}
        {answer.phase === "looking" ? (
          <Loading words={text.chat.looking(passages)} lines={2} />
        ) : null}
        {answer.phase === "done" && answer.parts.length === 0 ? (
          <p className="ans mute">{text.chat.saidNothing}</p>
        ) : null}
        {answer.phase === "stopped" ? <p className="small faint">{text.chat.stopped}</p> : null}
        {answer.phase === "failed" ? (
          <FailedAnswer
            answer={answer}
            onAskAgain={() => void onAskAgain(question, answer.speaker?.id ?? "")}
          />
        ) : null}
        {wide ? null : (
          <div className="folded">
            {other ? cited.map((one) => note(one)) : null}
            {after}
          </div>
        )}
        {changed && !underWay ? (
          <p className="changed small" role="status">
            {text.talk.changed}
            {again}
          </p>
        ) : null}
        {underWay ? null : (
          <div className="after">
            {answer.phase === "stopped" ? (
              <Button
                size="small"
                tone="quiet"
                onClick={() => void onAskAgain(question, answer.speaker?.id ?? "")}
              >
                {text.chat.askAgain}
              </Button>
            ) : null}
            {answer.parts.length > 0 ? (
              <CopyButton
                act={copy}
                value={markdownOf(answer, cited, (one) => placeOf(one, text))}
                label={text.chat.copy}
                done={text.chat.copied}
              />
            ) : null}
            {changed ? null : again}
            <Variants conversation={conversation} answer={answer} busy={busy} />
            {answer.variants.length > 1 ? (
              <IconButton
                icon={Columns2}
                label={other ? text.talk.besideNot : text.talk.beside}
                worded
                aria-pressed={other !== null}
                onClick={() => setBeside(exchange.asked, other === null)}
              />
            ) : props.trained && canAgain && answer.speaker === null ? (
              <IconButton
                icon={Columns2}
                label={answer.voice === "self" ? text.talk.compareBase : text.talk.compareSelf}
                worded
                onClick={() => void onCompare(exchange.asked, question, answer)}
              />
            ) : null}
            {cited.length + others.length > 0 && !answer.abstained ? (
              <button
                type="button"
                className="link tiny push"
                aria-expanded={why}
                onClick={() => setWhy(!why)}
              >
                {why
                  ? text.chat.whyNot
                  : text.chat.why(cited.length || shown.length || others.length)}
              </button>
            ) : null}
          </div>
        )}
        {props.wanting && !underWay ? <LargerModel /> : null}
        {exchange.exhausted ? (
          <p className="small faint exhausted" role="status">
            {text.talk.exhausted}
          </p>
        ) : null}
        {exchange.trouble ? <FailedAnswer answer={exchange.trouble} onAskAgain={doAgain} /> : null}
        {underWay ||
        answer.id === "" ||
        answer.parts.length === 0 ||
        answer.outcome === "talk" ? null : (
          <Judging key={answer.id} conversation={conversation} answer={answer} cited={cited} />
        )}
        <Announcer answer={answer} />
      </div>
      {wide ? (
        <div className="exchange-margin" ref={margin} role="group" aria-label={text.chat.sources}>
          {cited.map((one) =>
            note(
              one,
              answer.parts.some(
                (part) =>
                  part.kind === "quotation" && one.n !== null && part.citations.includes(one.n),
              ),
            ),
          )}
          {after}
        </div>
      ) : null}
    </>
  );
}
