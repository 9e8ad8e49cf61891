"use client";
import { Check } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import {
  useAnswerDraft,
  useDecide,
  useDecideSecret,
  useInbox,
  useSuspects,
} from "@/lib/api/people";
import type { AnswerDraft, PeerRequest } from "@/lib/api/types";
import { formatDate, formatTime, useLanguage, type Language } from "@/lib/i18n";
import { usePeopleText, type PeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { Area } from "@/ui/field";
import { Seal } from "@/ui/seal";
import { useStay } from "@/ui/stay";
import { Trouble } from "@/ui/trouble";
import { PeoplePage } from "./page";
import { peopleHref } from "./views";
import { whyOf } from "./why";

const momentOf = (iso: string, language: Language): string =>
  `${formatDate(iso, language)} ${formatTime(iso, language)}`;

/**
 * The field opens above the button that was pressed: it is brought into sight with the cursor in
 * it, once.
 */
const focusOnce = (field: HTMLTextAreaElement | null): void => {
  if (field && field.dataset["seen"] === undefined) {
    field.dataset["seen"] = "";
    field.focus();
  }
};

/** What waits for the person's word, and what came in. */
export function Inbox() {
  const t = usePeopleText();
  const query = useInbox();
  const waiting = (query.data?.items ?? []).filter(({ state }) => state === "waiting").toReversed();
  const rest = (query.data?.items ?? []).filter(({ state }) => state !== "waiting");
  const box = useStay<HTMLDivElement>(waiting.map(({ id }) => id));
  if (!query.data)
    return (
      <PeoplePage view="inbox">
        {query.isError ? (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Loading words={t.people.loading} lines={6} />
        )}
      </PeoplePage>
    );
  return (
    <PeoplePage view="inbox" beside={<p className="small mute">{t.inbox.waitingHint}</p>}>
      <div ref={box}>
        {waiting.length === 0 ? (
          <Empty title={t.inbox.waiting(0)}>
            <p className="mute">{t.inbox.waitingHint}</p>
          </Empty>
        ) : (
          <>
            <h2 className="part">{t.inbox.waiting(waiting.length)}</h2>
            {waiting.map((each) => (
              <Letter key={each.id} request={each} />
            ))}
          </>
        )}
      </div>
      <Secrets />
      <section className="people-part">
        <h2 className="part">{t.inbox.came}</h2>
        {rest.length === 0 ? <p className="small mute">{t.inbox.none}</p> : null}
        <ul className="came-list">
          {rest.map((each) => (
            <Came key={each.id} request={each} />
          ))}
        </ul>
      </section>
    </PeoplePage>
  );
}

function headOf({ verb, name }: PeerRequest, t: PeopleText): string {
  const who = name || t.inbox.stranger;
  return verb === "recall"
    ? t.inbox.looks(who)
    : verb === "offer"
      ? t.inbox.offers(who)
      : verb === "fetch"
        ? t.inbox.wants(who)
        : t.inbox.asks(who);
}

/** A request that waits: their words, under which grant, and the two answers. */
function Letter({ request }: { request: PeerRequest }) {
  const t = usePeopleText();
  const language = useLanguage();
  const decide = useDecide();
  const drafts = request.verb === "ask" || request.verb === "recall";
  const query = useAnswerDraft(request.id, drafts && request.draft === null);
  const [mine, setMine] = useState<string | null>(null);
  const draft = query.data?.draft ?? request.draft;
  const again = (): void => {
    decide.reset();
    setMine(null);
    void query.refetch();
  };
  const send = (): void =>
    decide.mutate({
      id: request.id,
      yes: true,
      ...(draft ? { draft: draft.id } : {}),
      ...(mine === null ? {} : { text: mine }),
    });
  return (
    <article className="letter" aria-label={headOf(request, t)}>
      <div className="letter-in">
        <p className="letter-head">
          <Seal name={request.name} size="s" of="peer" />
          <span>
            <b>{headOf(request, t)}</b>
            {request.purpose === "" ? "" : ` · ${t.inbox.under(request.purpose)}`}
          </span>
          <time className="num" dateTime={request.came_at}>
            {momentOf(request.came_at, language)}
          </time>
        </p>
        <p className="letter-words own">{request.words || t.inbox.forgotten}</p>
        {drafts ? <Answer draft={draft} query={query} mine={mine} onMine={setMine} /> : null}
      </div>
      <div className="letter-acts">
        <Button
          tone="ink"
          icon={Check}
          disabled={
            decide.isPending || (drafts && (!draft || query.isFetching || mine?.trim() === ""))
          }
          onClick={send}
        >
          {t.inbox.send}
        </Button>
        {draft?.editable ? (
          <Button
            disabled={decide.isPending}
            onClick={() => setMine(mine === null ? draft.text : null)}
          >
            {mine === null ? t.inbox.change : t.inbox.unchanged}
          </Button>
        ) : null}
        <Button
          disabled={decide.isPending}
          onClick={() => decide.mutate({ id: request.id, yes: false })}
        >
          {t.inbox.no}
        </Button>
        <span className="small faint num">{t.inbox.until(momentOf(request.until, language))}</span>
        <p className="tiny faint">{t.inbox.yesMeans}</p>
        {decide.isError ? <Trouble error={decide.error} onRetry={again} /> : null}
      </div>
    </article>
  );
}

interface AnswerProps {
  draft: AnswerDraft | null | undefined;
  query: ReturnType<typeof useAnswerDraft>;
  /** The person's words in its place; null: none. */
  mine: string | null;
  onMine: (words: string) => void;
}

/** The answer as it would leave, what it rests on, and what stays here. */
function Answer({ draft, query, mine, onMine }: AnswerProps) {
  const t = usePeopleText();
  if (query.isFetching) return <Loading words={t.inbox.drafting} lines={2} />;
  if (query.isError) return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  if (!draft) return null;
  return (
    <div className="letter-draft">
      <h3 className="label">{t.inbox.draft}</h3>
      {mine !== null ? (
        <Area
          label={t.inbox.change}
          hint={t.inbox.ownMeans}
          quiet
          voice="own"
          ref={focusOnce}
          value={mine}
          maxLength={65_536}
          onChange={(event) => onMine(event.target.value)}
        />
      ) : (
        <p className="own">{draft.text || t.inbox.nothing}</p>
      )}
      {draft.abstained && mine === null ? <p className="small mute">{t.inbox.abstained}</p> : null}
      {mine === null ? (
        <Rows title={t.inbox.sources} rows={draft.sources.filter(({ cited }) => cited)} open />
      ) : null}
      {mine === null ? (
        <Rows title={t.inbox.read} rows={draft.sources.filter(({ cited }) => !cited)} />
      ) : null}
      <Rows title={t.inbox.heldBack} rows={draft.held_back} open />
    </div>
  );
}

function Rows({
  title,
  rows,
  open = false,
}: {
  title: string;
  rows: AnswerDraft["sources"] | AnswerDraft["held_back"];
  open?: boolean;
}) {
  const t = usePeopleText();
  if (rows.length === 0) return null;
  return (
    <details open={open}>
      <summary className="small">
        {title} <span className="num">{rows.length}</span>
      </summary>
      <ul className="plain">
        {rows.map((row) => (
          <li key={`${row.document} ${row.start}`}>
            <p className={"reason" in row ? "letter-row own small struck" : "letter-row own small"}>
              {row.text}
            </p>
            <p className="letter-row-place small faint">
              <Link
                className="src"
                target="_blank"
                href={`/library?id=${encodeURIComponent(row.document)}&start=${row.start}&end=${row.end}`}
              >
                <span className="src-title">{row.title}</span>
              </Link>
              {"reason" in row ? <span>{t.inbox.stays[row.reason]}</span> : null}
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}

/**
 * What came since a grant was given and looks like a secret: it stays here until the person says
 * otherwise.
 */
function Secrets() {
  const t = usePeopleText();
  const query = useSuspects();
  const decide = useDecideSecret();
  const items = query.data?.items ?? [];
  if (query.isError) return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  if (items.length === 0) return null;
  return (
    <section className="people-part">
      <h2 className="part">{t.secrets.waiting(items.length)}</h2>
      <p className="small mute">{t.secrets.waitingHint}</p>
      <ul className="plain">
        {items.map((each) => (
          <li key={`${each.grant} ${each.id}`}>
            <p className="own">{each.text}</p>
            <p className="small faint">
              {t.secrets.looks[each.looks]} · {each.title} ·{" "}
              {t.secrets.under(each.name ?? t.inbox.stranger)}
            </p>
            <div className="row wrap">
              <Button
                disabled={decide.isPending}
                onClick={() => decide.mutate({ grant: each.grant ?? "", id: each.id, yes: true })}
              >
                {t.secrets.allow}
              </Button>
              <Button
                disabled={decide.isPending}
                onClick={() => decide.mutate({ grant: each.grant ?? "", id: each.id, yes: false })}
              >
                {t.secrets.leaveOut}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {decide.isError ? <Trouble error={decide.error} /> : null}
    </section>
  );
}

function Came({ request }: { request: PeerRequest }) {
  const t = usePeopleText();
  const language = useLanguage();
  const verbs: Readonly<Record<string, string>> = t.inbox.verbs;
  const name = request.name || t.inbox.stranger;
  return (
    <li>
      <Seal name={name} size="s" of={request.contact === null ? "away" : "peer"} />
      <div>
        <p className="small">
          {request.contact === null ? (
            <b>{name}</b>
          ) : (
            <Link className="people-name" href={peopleHref("contacts", request.contact)}>
              {name}
            </Link>
          )}{" "}
          {verbs[request.verb] ?? request.verb}
        </p>
        {request.words === "" ? null : <p className="own">{request.words}</p>}
        {request.answer === "" ? null : (
          <p className="small mute">
            {t.inbox.answer}: {request.answer}
          </p>
        )}
        <p className="small faint">
          {request.code === ""
            ? t.inbox.states[request.state]
            : `${t.inbox.refused} ${whyOf(request.code, t)}`}
        </p>
      </div>
      <time className="small faint num" dateTime={request.came_at}>
        {momentOf(request.came_at, language)}
      </time>
    </li>
  );
}
