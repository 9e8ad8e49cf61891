"use client";
/**
 * A request made complete from memory, with what shall not be said struck out; and the reply held
 * against it.
 */
import { useMutation } from "@tanstack/react-query";
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  LockKeyhole,
  type LucideIcon,
} from "lucide-react";
import Link from "next/link";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { critique, enhance } from "@/lib/api/bridge";
import type { Critique, Fact, Point } from "@/lib/api/types";
import { plain } from "@/lib/plain";
import { cut } from "@/lib/codepoints";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { Button } from "@/ui/button";
import { placeOf, SourceLine } from "@/ui/evidence";
import { CopyButton, Loading } from "@/ui/faces";
import { Area } from "@/ui/field";
import { Icon } from "@/ui/icon";
import { Trouble } from "@/ui/trouble";
import "./bridge.css";

const MOST = 20_000;

export default function Bridge({ begin }: { begin: string }) {
  const text = useText();
  const [request, setRequest] = useState(begin);
  const [facts, setFacts] = useState<readonly Fact[]>([]);
  const [struck, setStruck] = useState<ReadonlySet<string>>(new Set());
  const [holding, setHolding] = useState(false);
  const made = useMutation({
    mutationFn: ({ strike }: { strike: ReadonlySet<string> }) => enhance(request, [...strike]),
  });
  const field = useRef<HTMLTextAreaElement>(null);
  const make = (strike: ReadonlySet<string>, fresh: boolean): void => {
    setStruck(strike);
    made.mutate(
      { strike },
      { onSuccess: (answer) => (fresh ? setFacts(answer.facts) : undefined) },
    );
  };
  const { mutate } = made;
  // What stood in the composer is looked up at once.
  useEffect(() => {
    if (begin.trim() === "") field.current?.focus();
    else mutate({ strike: new Set() }, { onSuccess: (answer) => setFacts(answer.facts) });
  }, [begin, mutate]);
  const toggle = (id: string): void => {
    const next = new Set(struck);
    if (!next.delete(id)) next.add(id);
    make(next, false);
  };
  const kept = new Set(made.data?.facts.map((fact) => fact.id));
  return (
    <div className="bridge">
      <p className="mute small">{text.bridge.lead}</p>
      {holding && made.data ? (
        <Holding request={request} onBack={() => setHolding(false)} />
      ) : (
        <>
          <form
            className="bridge-ask"
            onSubmit={(event) => {
              event.preventDefault();
              if (request.trim() !== "") make(new Set(), true);
            }}
          >
            <Area
              label={text.bridge.request}
              voice="own"
              rows={3}
              maxLength={MOST}
              placeholder={text.bridge.placeholder}
              value={request}
              ref={field}
              onChange={(event) => setRequest(event.target.value)}
            />
            <div className="row wrap">
              <Button
                tone={made.data ? "plain" : "ink"}
                size="small"
                type="submit"
                disabled={request.trim() === "" || made.isPending}
              >
                {text.bridge.make}
              </Button>
              <span className="tiny faint private-word">
                <Icon of={LockKeyhole} /> {text.bridge.private}
              </span>
            </div>
          </form>
          {made.isPending && facts.length === 0 ? (
            <Loading words={text.bridge.making} lines={3} />
          ) : null}
          {made.isError ? (
            <Trouble error={made.error} onRetry={() => make(struck, facts.length === 0)} />
          ) : null}
          {facts.length > 0 ? (
            <section className="bridge-facts" aria-label={text.bridge.facts}>
              <h3 className="label">{text.bridge.facts}</h3>
              <p className="tiny faint">{text.bridge.factsHint}</p>
              <ul>
                {facts.map((fact) => (
                  <FactRow
                    key={fact.id}
                    fact={fact}
                    struck={struck.has(fact.id)}
                    along={!struck.has(fact.id) && made.isSuccess && !kept.has(fact.id)}
                    onToggle={() => toggle(fact.id)}
                  />
                ))}
              </ul>
            </section>
          ) : null}
          {made.data ? (
            <section aria-busy={made.isPending} aria-label={text.bridge.text}>
              {facts.length === 0 ? <p className="mute small">{text.bridge.none}</p> : null}
              <h3 className="label">{text.bridge.text}</h3>
              <p className="bridge-text" aria-live="polite">
                {made.data.request}
              </p>
              <div className="row wrap">
                <CopyButton
                  value={made.data.request}
                  label={text.bridge.copy}
                  done={text.bridge.copied}
                />
                <Button size="small" tone="quiet" onClick={() => setHolding(true)}>
                  {text.bridge.hold}
                </Button>
              </div>
            </section>
          ) : null}
        </>
      )}
    </div>
  );
}

const placeHref = (fact: Fact): string =>
  `/library?id=${encodeURIComponent(fact.document)}&start=${fact.start}&end=${fact.end}`;

/** A fact to say or to strike, with where it stands and why it was found. */
function FactRow({
  fact,
  struck,
  along,
  onToggle,
}: {
  fact: Fact;
  struck: boolean;
  along: boolean;
  onToggle: () => void;
}) {
  const text = useText();
  const language = useLanguage();
  const out = struck || along;
  return (
    <li className={out ? "fact out" : "fact"}>
      <label>
        <input
          type="checkbox"
          checked={!out}
          disabled={along}
          onChange={onToggle}
          aria-label={out ? text.bridge.unstrike(fact.text) : text.bridge.strike(fact.text)}
        />
        <span className="q">{out ? <s>{plain(fact.text)}</s> : plain(fact.text)}</span>
      </label>
      <p className="fact-place">
        <Link
          className="fact-source"
          href={placeHref(fact)}
          aria-label={`${fact.title}: ${text.bridge.place}`}
        >
          <SourceLine title={fact.title} place={placeOf(fact, text)} />
        </Link>
        {fact.timestamp ? (
          <span className="tiny faint">{formatDate(fact.timestamp, language)}</span>
        ) : null}
        <span className="tiny faint">
          {struck ? text.bridge.struck : along ? text.bridge.goneToo : fact.why}
        </span>
      </p>
    </li>
  );
}

/** A reply, and what it does with each thing that was wanted. */
function Holding({ request, onBack }: { request: string; onBack: () => void }) {
  const text = useText();
  const [reply, setReply] = useState("");
  const held = useMutation({ mutationFn: (pasted: string) => critique(request, pasted) });
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <>
      <blockquote className="q bridge-request">{request}</blockquote>
      <form
        className="bridge-ask"
        onSubmit={(event) => {
          event.preventDefault();
          if (reply.trim() !== "") held.mutate(reply);
        }}
      >
        <Area
          label={text.bridge.reply}
          rows={4}
          maxLength={MOST}
          placeholder={text.bridge.replyPlaceholder}
          value={reply}
          ref={field}
          onChange={(event) => setReply(event.target.value)}
        />
        <div className="row wrap">
          <Button
            tone="ink"
            size="small"
            type="submit"
            disabled={reply.trim() === "" || held.isPending}
          >
            {text.bridge.compare}
          </Button>
          <Button size="small" tone="quiet" onClick={onBack}>
            {text.bridge.back}
          </Button>
        </div>
      </form>
      {held.isPending ? <Loading words={text.bridge.comparing} lines={3} /> : null}
      {held.isError ? <Trouble error={held.error} onRetry={() => held.mutate(reply)} /> : null}
      {held.isSuccess ? <Verdict critique={held.data} reply={held.variables} /> : null}
    </>
  );
}

const spanOf = (reply: string, [start = 0, end = 0]: readonly number[]): string =>
  cut(reply.trim(), start, end)[1];

const MARKS: Record<Point["kind"], LucideIcon> = {
  met: CircleCheck,
  missed: CircleDashed,
  against: CircleAlert,
  unknown: CircleHelp,
};
const ORDER: readonly Point["kind"][] = ["against", "missed", "unknown", "met"];

function Verdict({ critique: held, reply }: { critique: Critique; reply: string }) {
  const text = useText();
  const points = held.points.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  return (
    <section className="bridge-verdict" role="status">
      <h3>{text.bridge.verdicts[held.verdict]}</h3>
      <ul>
        {points.map((point, index) => (
          <li key={index} className={`point ${point.kind}`}>
            <p className="point-kind">
              <Icon of={MARKS[point.kind]} />
              <b>{text.bridge.kinds[point.kind]}</b>
              <span className="mute small">{point.text}</span>
            </p>
            <dl>
              <dt>{point.source ? text.bridge.wrote : text.bridge.asked}</dt>
              <dd>
                <span className="q">{point.want}</span>
                {point.source ? (
                  <Link
                    className="fact-source"
                    href={placeHref(point.source)}
                    aria-label={`${point.source.title}: ${text.bridge.place}`}
                  >
                    <SourceLine title={point.source.title} place={placeOf(point.source, text)} />
                  </Link>
                ) : null}
              </dd>
              {point.reply_span ? (
                <>
                  <dt>{text.bridge.says}</dt>
                  <dd>{spanOf(reply, point.reply_span)}</dd>
                </>
              ) : null}
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}
