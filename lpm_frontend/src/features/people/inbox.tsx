"use client";
import { Check } from "lucide-react";
import Link from "next/link";
import { useDecide, useInbox } from "@/lib/api/people";
import type { PeerRequest } from "@/lib/api/types";
import { formatDate, formatTime, useLanguage, type Language } from "@/lib/i18n";
import { usePeopleText, type PeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { Seal } from "@/ui/seal";
import { useStay } from "@/ui/stay";
import { Trouble } from "@/ui/trouble";
import { PeoplePage } from "./page";
import { peopleHref } from "./views";
import { whyOf } from "./why";

const momentOf = (iso: string, language: Language): string => `${formatDate(iso, language)} ${formatTime(iso, language)}`;

/** What waits for the person's word, and what came in. */
export function Inbox() {
  const t = usePeopleText();
  const query = useInbox();
  const waiting = (query.data?.items ?? []).filter(({ state }) => state === "waiting").toReversed();
  const rest = (query.data?.items ?? []).filter(({ state }) => state !== "waiting");
  const box = useStay<HTMLDivElement>(waiting.map(({ id }) => id));
  if (!query.data) return <PeoplePage view="inbox">{query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : <Loading words={t.people.loading} lines={6} />}</PeoplePage>;
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
  return verb === "recall" ? t.inbox.looks(who) : verb === "offer" ? t.inbox.offers(who) : verb === "fetch" ? t.inbox.wants(who) : t.inbox.asks(who);
}

/** A request that waits: their words, under which grant, and the two answers. */
function Letter({ request }: { request: PeerRequest }) {
  const t = usePeopleText();
  const language = useLanguage();
  const decide = useDecide();
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
      </div>
      <div className="letter-acts">
        <Button tone="ink" icon={Check} disabled={decide.isPending} onClick={() => decide.mutate({ id: request.id, yes: true })}>
          {t.inbox.yes}
        </Button>
        <Button disabled={decide.isPending} onClick={() => decide.mutate({ id: request.id, yes: false })}>
          {t.inbox.no}
        </Button>
        <span className="small faint num">{t.inbox.until(momentOf(request.until, language))}</span>
        <p className="tiny faint">{t.inbox.yesMeans}</p>
        {decide.isError ? <Trouble error={decide.error} /> : null}
      </div>
    </article>
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
          {request.contact === null ? <b>{name}</b> : <Link className="people-name" href={peopleHref("contacts", request.contact)}>{name}</Link>} {verbs[request.verb] ?? request.verb}
        </p>
        {request.words === "" ? null : <p className="own">{request.words}</p>}
        {request.answer === "" ? null : (
          <p className="small mute">
            {t.inbox.answer}: {request.answer}
          </p>
        )}
        <p className="small faint">{request.code === "" ? t.inbox.states[request.state] : `${t.inbox.refused} ${whyOf(request.code, t)}`}</p>
      </div>
      <time className="small faint num" dateTime={request.came_at}>
        {momentOf(request.came_at, language)}
      </time>
    </li>
  );
}
