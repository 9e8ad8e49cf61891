"use client";
import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, Pencil, RotateCcw } from "lucide-react";
import Link from "next/link";
import { memo, useMemo, useRef, useState } from "react";
import { recallQuery } from "@/lib/api/recall";
import { useShowVariant } from "@/lib/api/conversations";
import type { ConversationWhole, Item } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { sentencesOfProblem } from "@/lib/problem";
import { Button, IconButton } from "@/ui/button";
import { placeOf } from "@/ui/evidence";
import { CopyButton, Failed, Loading } from "@/ui/faces";
import { useReturn } from "@/ui/return";
import { RoleSeal, Seal } from "@/ui/seal";
import { Trouble } from "@/ui/trouble";
import { Announcer, PartOfAnswer } from "./answer";
import { notesOf, type Answer, type Exchange, type NoteOf } from "./exchanges";
import { Judging } from "./judging";
import { Note } from "./note";
import { useLevelNotes } from "./placing";
import { Rewording } from "./rewording";
import { isMarkdown, markdownOf } from "./say";
import { Written } from "./written";

/** How many passages stand in the margin before the first word says which are used. */
const SHOWN_BEFORE = 5;
const EXPLAINED = 50;

/** The same passages, with the reasons that recall gives for them now. */
function explained(evidence: readonly Item[], found: readonly Item[]): Item[] {
  const reasons = new Map(found.map((item) => [item.id, item]));
  return evidence.map((item) => ({ ...item, signals: reasons.get(item.id)?.signals ?? null, matched: reasons.get(item.id)?.matched ?? [] }));
}

export type Branch = NonNullable<ConversationWhole["branches"]>[number];

interface ExchangeProps {
  conversation: string;
  exchange: Exchange;
  /** Conversations in which this question is asked differently. */
  branches: readonly Branch[] | undefined;
  /** Something is being written in this conversation. */
  busy: boolean;
  name: string;
  passages: number;
  wide: boolean;
  newest: boolean;
  onOpen: (note: NoteOf, all: readonly NoteOf[]) => void;
  /** Asks it once more, the same role where one was asked. */
  onAskAgain: (question: string, to: string) => Promise<void>;
  onAnswerAgain: (asked: string, question: string) => Promise<void>;
  onBranch: (asked: string, question: string) => Promise<void>;
}

/** A question in the person's serif, the answer in the node's sans, and level with each sentence what it rests on. */
export const ExchangeView = memo(function ExchangeView(props: ExchangeProps) {
  const { exchange, newest } = props;
  return (
    <article className={`exchange${newest ? " newest" : ""}${exchange.question === "" ? " cued" : ""}`} tabIndex={-1} data-key={exchange.key} aria-label={exchange.question === "" ? exchange.answer?.speaker?.name : undefined}>
      {exchange.answer ? (
        <AnswerView {...props} answer={exchange.answer} />
      ) : (
        <div className="exchange-page">
          <Question {...props} />
          {exchange.asked === "" || props.busy ? null : <Unanswered onAskAgain={() => void props.onAskAgain(exchange.question, "")} />}
        </div>
      )}
    </article>
  );
});

/** A question that was stopped before anything was found. */
function Unanswered({ onAskAgain }: { onAskAgain: () => void }) {
  const text = useText();
  return (
    <>
      <p className="small faint">{text.chat.stopped}</p>
      <div className="after">
        <Button size="small" tone="quiet" onClick={onAskAgain}>
          {text.chat.askAgain}
        </Button>
      </div>
    </>
  );
}

/** What was asked, and asking it differently: that begins a conversation of its own. */
function Question({ exchange, branches, busy, onBranch }: ExchangeProps) {
  const text = useText();
  const [draft, setDraft] = useState<string | null>(null);
  const back = useReturn(draft !== null);
  if (draft !== null) {
    return (
      <Rewording
        quiet
        oneLine
        label={text.talk.editLabel}
        hint={text.talk.editMeans}
        keep={text.talk.editDo}
        words={draft}
        onWords={setDraft}
        onKeep={() => {
          const wanted = draft.trim();
          setDraft(null);
          if (wanted !== "" && wanted !== exchange.question) void onBranch(exchange.asked, wanted);
        }}
        onLeave={() => setDraft(null)}
      />
    );
  }
  // It was a role's turn, and nobody asked anything.
  if (exchange.question === "") return null;
  return (
    <>
      <div className="asked">
        <h2 className="ask own">{exchange.question}</h2>
        {exchange.asked === "" || busy ? null : <IconButton className="reask-open" ref={back} icon={Pencil} label={text.talk.edit} onClick={() => setDraft(exchange.question)} />}
      </div>
      {branches?.map((branch) => (
        <p className="branched tiny" key={branch.conversation}>
          <Link className="link" href={`/?id=${encodeURIComponent(branch.conversation)}`}>
            {text.talk.branchedTo(branch.title || text.chat.untitled)}
          </Link>
        </p>
      ))}
    </>
  );
}

function AnswerView(props: ExchangeProps & { answer: Answer }) {
  const { conversation, exchange, answer, busy, name, passages, wide, onOpen, onAskAgain, onAnswerAgain } = props;
  const { question } = exchange;
  const text = useText();
  const [lit, setLit] = useState<number | null>(null);
  const [why, setWhy] = useState(false);
  const [unused, setUnused] = useState(false);
  const page = useRef<HTMLDivElement>(null);
  const margin = useRef<HTMLDivElement>(null);
  // What is kept with a turn is where it stands, not why it was found: asked again when somebody wants to know.
  const unexplained = answer.evidence.some((item) => item.signals === null);
  const found = useQuery({ ...recallQuery({ query: question, k: EXPLAINED, since: "", until: "" }), enabled: why && unexplained }).data?.items;
  const changed = answer.citations.some((citation) => citation.struck);
  const { cited, others } = useMemo(() => notesOf(unexplained && found ? { ...answer, evidence: explained(answer.evidence, found) } : answer), [answer, found, unexplained]);
  const underWay = answer.phase === "looking" || answer.phase === "reading" || answer.phase === "writing";
  const nearest = answer.abstained || (!underWay && cited.length === 0);
  const shown = underWay ? others.slice(0, Math.max(0, SHOWN_BEFORE - cited.length)) : unused || why ? others : nearest ? others.slice(0, 2) : [];
  const open = (note: NoteOf): void => onOpen(note, [...cited, ...others]);
  const openNumber = (n: number): void => {
    const found = cited.find((candidate) => candidate.n === n);
    if (found) open(found);
  };
  useLevelNotes(page, margin, wide, [cited, shown, why, answer.parts]);
  const note = (one: NoteOf, brief = false) => <Note key={one.key} note={one} question={question} lit={one.n !== null && one.n === lit} why={why} brief={brief} onLight={setLit} onOpen={open} />;
  const rest = others.length - (nearest ? Math.min(2, others.length) : 0);
  const again =
    exchange.asked === "" || answer.parts.length === 0 || busy ? null : (
      <IconButton className="do-again" icon={RotateCcw} label={text.talk.again} worded onClick={() => void onAnswerAgain(exchange.asked, question)} />
    );
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
        <Question {...props} />
        <Byline answer={answer} name={name} passages={passages} cited={cited.length} />
        {groupsOf(answer.parts).map((group) => (
          <div key={group.from} className="part" data-cites={group.parts.flatMap((part) => part.citations).join(" ")}>
            {group.markdown ? (
              <Written parts={group.parts} answer={answer} lit={lit} onLight={setLit} onOpen={openNumber} />
            ) : (
              group.parts.map((part) => <PartOfAnswer key={group.from} part={part} answer={answer} lit={lit} last={group.from === answer.parts.length - 1} onLight={setLit} onOpen={openNumber} />)
            )}
            {wide
              ? null
              : group.parts.flatMap((part, index) =>
                  part.citations.map((n) => cited.filter((one) => one.n === n && firstPart(answer, n) === group.from + index).map((one) => note(one, part.kind === "quotation"))),
                )}
          </div>
        ))}
        {answer.phase === "reading" ? (
          <p className="ans waiting-caret" aria-hidden="true">
            <span className="caret" />
          </p>
        ) : null}
        {answer.phase === "looking" ? <Loading words={text.chat.looking(passages)} lines={2} /> : null}
        {answer.phase === "done" && answer.parts.length === 0 ? <p className="ans mute">{text.chat.saidNothing}</p> : null}
        {answer.phase === "stopped" ? <p className="small faint">{text.chat.stopped}</p> : null}
        {answer.phase === "failed" ? <FailedAnswer answer={answer} onAskAgain={() => void onAskAgain(question, answer.speaker?.id ?? "")} /> : null}
        {wide ? null : <div className="folded">{after}</div>}
        {changed && !underWay ? (
          <p className="changed small" role="status">
            {text.talk.changed}
            {again}
          </p>
        ) : null}
        {underWay ? null : (
          <div className="after">
            {answer.phase === "stopped" ? (
              <Button size="small" tone="quiet" onClick={() => void onAskAgain(question, answer.speaker?.id ?? "")}>
                {text.chat.askAgain}
              </Button>
            ) : null}
            {answer.parts.length > 0 ? (
              <CopyButton className="do-copy" value={markdownOf(answer, cited, (one) => placeOf(one, text))} label={text.chat.copy} done={text.chat.copied} />
            ) : null}
            {changed ? null : again}
            <Variants conversation={conversation} answer={answer} busy={busy} />
            {cited.length + others.length > 0 && !answer.abstained ? (
              <button type="button" className="link tiny push" aria-expanded={why} onClick={() => setWhy(!why)}>
                {why ? text.chat.whyNot : text.chat.why(cited.length || shown.length || others.length)}
              </button>
            ) : null}
          </div>
        )}
        {exchange.exhausted ? (
          <p className="small faint exhausted" role="status">
            {text.talk.exhausted}
          </p>
        ) : null}
        {exchange.trouble ? <FailedAnswer answer={exchange.trouble} onAskAgain={() => void onAnswerAgain(exchange.asked, question)} /> : null}
        {underWay || answer.id === "" || answer.parts.length === 0 ? null : <Judging key={answer.id} conversation={conversation} answer={answer} cited={cited} />}
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

/** Parts as they are drawn: sentences that belong to one piece of Markdown together, each other part by itself. */
function groupsOf(parts: Answer["parts"]): readonly { from: number; parts: Answer["parts"]; markdown: boolean }[] {
  const groups: { from: number; parts: Answer["parts"][number][]; markdown: boolean }[] = [];
  for (const [index, part] of parts.entries()) {
    const markdown = part.kind === "statement" && isMarkdown(part.text);
    const last = groups.at(-1);
    if (markdown && last?.markdown) last.parts.push(part);
    else groups.push({ from: index, parts: [part], markdown });
  }
  return groups;
}

/** Which of several answers is shown, and paging between them. */
function Variants({ conversation, answer, busy }: { conversation: string; answer: Answer; busy: boolean }) {
  const text = useText();
  const show = useShowVariant(conversation);
  const at = answer.variants.indexOf(answer.id);
  if (answer.variants.length < 2 || at < 0) return null;
  const turn = (by: 1 | -1) => {
    const wanted = answer.variants[at + by];
    return (
      <IconButton
        icon={by < 0 ? ChevronLeft : ChevronRight}
        label={by < 0 ? text.talk.earlierVariant : text.talk.laterVariant}
        disabled={wanted === undefined || busy}
        onClick={() => {
          if (wanted !== undefined && !show.isPending) show.mutate(wanted);
        }}
      />
    );
  };
  return (
    <span className="variants" role="group" aria-label={text.talk.variant(at + 1, answer.variants.length)}>
      {turn(-1)}
      <span className="tiny" aria-live="polite">
        <span className="sr">{text.talk.variant(at + 1, answer.variants.length)}</span>
        <span aria-hidden="true">
          {at + 1}/{answer.variants.length}
        </span>
      </span>
      {turn(1)}
    </span>
  );
}

/** A note folds under the first paragraph that rests on it, and only there. */
const firstPart = (answer: Answer, n: number): number => answer.parts.findIndex((part) => part.citations.includes(n));

function Byline({ answer, name, passages, cited }: { answer: Answer; name: string; passages: number; cited: number }) {
  const text = useText();
  const word = (): string => {
    switch (answer.phase) {
      case "looking":
        return text.chat.looking(passages);
      case "reading":
        return answer.ahead ? text.talk.ahead(answer.ahead) : text.chat.thinking;
      case "writing":
        return text.chat.answering;
      case "done":
        return answer.abstained ? text.chat.abstained : answer.speaker && cited === 0 ? text.chat.inRole : text.chat.answered;
      case "stopped":
      case "failed":
      case "exhausted":
        return answer.abstained ? text.chat.abstained : answer.parts.length > 0 ? text.chat.answered : text.chat.unanswered;
    }
  };
  const counted = cited > 0 ? text.counts.sources(cited) : answer.phase === "reading" ? text.counts.passages(answer.evidence.length) : "";
  return (
    <p className="by">
      {answer.speaker ? <RoleSeal glyph={answer.speaker.seal} size="xs" /> : <Seal name={name} size="xs" />}
      <span>
        {answer.speaker ? <b className="by-role">{answer.speaker.name || text.chat.roleSomebody}</b> : null}
        <b>{word()}</b>
        {counted === "" ? "" : ` · ${counted}`}
      </span>
      {answer.model ? <span className="by-model">{answeredWith(answer.model, text.chat.training)}</span> : null}
    </p>
  );
}

/** Which model answered, and with which training. */
function answeredWith(model: string, training: (number: number) => string): string {
  const [, base, number] = /^(.*) \+ training (\d+)$/u.exec(model) ?? [];
  return base === undefined ? model : `${base} · ${training(Number(number))}`;
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
