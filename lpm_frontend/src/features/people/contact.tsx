"use client";
import { Ban, Check, PenLine } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState, type ReactNode } from "react";
import { NodeProblem } from "@/lib/api/client";
import { useChangeContact, useCompare, useContact, useDeed, useForget } from "@/lib/api/people";
import type { ContactWhole } from "@/lib/api/types";
import { formatBytes, formatDate, formatTime, useLanguage } from "@/lib/i18n";
import { usePeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Area, Field } from "@/ui/field";
import { Icon } from "@/ui/icon";
import { useReturn } from "@/ui/return";
import { Trouble } from "@/ui/trouble";
import { Asking } from "./ask";
import { GrantList } from "./grants";
import { OffersOf } from "./offers";
import { whyOf } from "./why";
import { LostContact, PeerSeal, PeoplePage } from "./page";
import { peopleHref } from "./views";

/**
 * One contact: the six words, grants both ways, what was exchanged, and the ways to close the door.
 */
export function OneContact({ id }: { id: string }) {
  const t = usePeopleText();
  const query = useContact(id);
  if (query.data) return <Whole contact={query.data} />;
  const lost = query.error instanceof NodeProblem && query.error.status === 404;
  return (
    <PeoplePage view="contacts">
      {lost ? (
        <LostContact />
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={t.people.loading} lines={6} />
      )}
    </PeoplePage>
  );
}

function Whole({ contact }: { contact: ContactWhole }) {
  const t = usePeopleText();
  const language = useLanguage();
  const given = contact.grants.filter((grant) => grant.direction === "given");
  const had = contact.grants.filter((grant) => grant.direction === "had");
  const seen =
    contact.last_seen === null
      ? t.people.never
      : t.people.seen(formatDate(contact.last_seen, language));
  return (
    <PeoplePage view="contacts" label={t.contact.words} beside={<Beside contact={contact} />}>
      <Link className="link small" href={peopleHref("contacts")}>
        {t.people.all}
      </Link>
      <header className="give-who">
        <PeerSeal contact={contact} size="l" />
        <div>
          <h2>{contact.name}</h2>
          <p className="small mute num">
            {[
              t.people.states[contact.state],
              t.people.met(formatDate(contact.met_at, language)),
              seen,
            ].join(" · ")}
          </p>
        </div>
      </header>
      {contact.state === "changed" ? <Changed contact={contact} /> : null}
      <GrantList
        title={t.contact.mayAsk(contact.name)}
        grants={given}
        none={t.contact.mayAskNone}
      />
      {contact.state === "active" ? (
        <Link className="btn ink" href={peopleHref("give", contact.id)}>
          <Icon of={PenLine} />
          {t.contact.give(contact.name)}
        </Link>
      ) : null}
      <GrantList
        title={t.contact.youMayAsk(contact.name)}
        grants={had}
        none={t.contact.youMayAskNone}
      />
      <Asking contact={contact} />
      <OffersOf contact={contact} />
      <Exchanged contact={contact} />
      <About key={contact.id} contact={contact} />
      <Acts contact={contact} />
    </PeoplePage>
  );
}

/** Their identity goes on under another key: the person says whether it is them. */
function Changed({ contact }: { contact: ContactWhole }) {
  const t = usePeopleText();
  const deed = useDeed();
  return (
    <div className="people-notice" role="status">
      <p>{t.contact.changed(contact.name, contact.next_name)}</p>
      <div className="row wrap">
        <Button
          size="small"
          disabled={deed.isPending}
          onClick={() => deed.mutate({ id: contact.id, deed: "accept" })}
        >
          {t.contact.accept}
        </Button>
        <Button
          size="small"
          tone="quiet"
          disabled={deed.isPending}
          onClick={() => deed.mutate({ id: contact.id, deed: "decline" })}
        >
          {t.contact.decline}
        </Button>
      </div>
      {deed.isError ? <Trouble error={deed.error} /> : null}
    </div>
  );
}

function Beside({ contact }: { contact: ContactWhole }) {
  const t = usePeopleText();
  const language = useLanguage();
  return (
    <>
      <section className="people-part">
        <h2 className="label">{t.contact.words}</h2>
        {contact.words.length === 0 ? (
          <p className="small mute">{t.contact.noWords}</p>
        ) : (
          <>
            <ol className="six-words own" translate="no">
              {contact.words.map((word, at) => (
                <li key={at}>{word}</li>
              ))}
            </ol>
            <p className="small mute">{t.contact.wordsHint}</p>
            <Compared contact={contact} />
          </>
        )}
      </section>
      <section className="figure-list">
        <h2 className="label">{t.contact.left}</h2>
        {contact.sent.length === 0 ? <p className="small mute">{t.contact.leftNone}</p> : null}
        <dl>
          {contact.sent.slice(0, 12).map((each) => (
            <div key={`${each.day} ${each.category}`}>
              <dt>
                {formatDate(each.day, language)} ·{" "}
                {(t.network.categories as Readonly<Record<string, string>>)[each.category] ??
                  each.category}
              </dt>
              <dd className="num">{formatBytes(each.bytes, language)}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section className="people-part">
        <h2 className="label">{t.contact.identity}</h2>
        <p className="tiny faint people-did">{contact.did}</p>
      </section>
      {contact.addresses.length === 0 ? null : (
        <section className="people-part">
          <h2 className="label">{t.contact.addresses}</h2>
          <ul className="tiny faint people-did">
            {contact.addresses.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** Whether both read the same words to each other. */
function Compared({ contact }: { contact: ContactWhole }) {
  const t = usePeopleText();
  const language = useLanguage();
  const compare = useCompare();
  const same = contact.verified_at !== null;
  return (
    <>
      <div className="row wrap">
        <Button
          size="small"
          tone={same ? "quiet" : "plain"}
          {...(same ? {} : { icon: Check })}
          disabled={compare.isPending}
          onClick={() => compare.mutate({ id: contact.id, words: contact.words, same: !same })}
        >
          {same ? t.contact.unmatch : t.contact.match}
        </Button>
        <span
          className={contact.verified_at === null ? "small mute" : "small compared"}
          role="status"
        >
          {contact.verified_at === null
            ? t.contact.notMatched
            : t.contact.matched(formatDate(contact.verified_at, language))}
        </span>
      </div>
      {compare.isError ? <Trouble error={compare.error} /> : null}
    </>
  );
}

/** Messages both ways, newest first. */
function Exchanged({ contact }: { contact: ContactWhole }) {
  const t = usePeopleText();
  const language = useLanguage();
  const verbs: Readonly<Record<string, string>> = t.inbox.verbs;
  const came = contact.inbox.map((each) => ({
    key: `in ${each.id}`,
    at: each.came_at,
    from: t.contact.asked,
    verb: each.verb,
    words: each.words,
    state: each.code ? `${t.inbox.refused} ${whyOf(each.code, t)}` : t.inbox.states[each.state],
  }));
  const went = contact.outbox.map((each) => ({
    key: `out ${each.id}`,
    at: each.made_at,
    from: t.contact.sent,
    verb: each.verb,
    words: "",
    state:
      each.state === "refused"
        ? `${t.inbox.refused} ${whyOf(each.code, t)}`
        : t.network.states[each.state],
  }));
  const both = [...came, ...went].toSorted((a, b) => b.at.localeCompare(a.at));
  return (
    <section className="people-part">
      <h2 className="part">{t.contact.exchanged}</h2>
      {both.length === 0 ? <p className="small mute">{t.contact.exchangedNone}</p> : null}
      <ul className="exchanged">
        {both.map((each) => (
          <li key={each.key}>
            <span className="small faint num">
              {formatDate(each.at, language)} {formatTime(each.at, language)}
            </span>
            <span className="small">
              {each.from} · {verbs[each.verb] ?? each.verb}
              {each.words === "" ? null : <q className="own">{each.words}</q>}
            </span>
            <span className="small faint">{each.state}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What the person calls them, and notes. */
function About({ contact }: { contact: ContactWhole }) {
  const t = usePeopleText();
  const change = useChangeContact();
  const [name, setName] = useState(contact.name === contact.own_name ? "" : contact.name);
  const [notes, setNotes] = useState(contact.notes);
  return (
    <form
      className="people-part people-about"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ id: contact.id, name, notes });
      }}
    >
      <Field
        label={t.contact.name}
        hint={t.contact.nameHint(contact.own_name)}
        value={name}
        maxLength={80}
        placeholder={contact.own_name}
        onChange={(event) => setName(event.target.value)}
      />
      <Area
        label={t.contact.notes}
        hint={t.contact.notesHint}
        voice="own"
        value={notes}
        maxLength={4000}
        onChange={(event) => setNotes(event.target.value)}
      />
      {change.isError ? <Trouble error={change.error} /> : null}
      <div className="row">
        <Button size="small" type="submit" disabled={change.isPending}>
          {t.contact.save}
        </Button>
        <span className="small mute" role="status">
          {change.isSuccess ? t.contact.saved : ""}
        </span>
      </div>
    </form>
  );
}

/** Block, end, forget: each with what it means before it is pressed. */
function Acts({ contact }: { contact: ContactWhole }) {
  const t = usePeopleText();
  const deed = useDeed();
  const act = (what: "block" | "unblock" | "end"): void =>
    deed.mutate({ id: contact.id, deed: what });
  const open = contact.state === "active" || contact.state === "changed";
  return (
    <section className="people-part people-acts">
      <h2 className="part">{t.contact.acts}</h2>
      {open ? (
        <Act means={t.contact.blockMeans}>
          <Button size="small" icon={Ban} disabled={deed.isPending} onClick={() => act("block")}>
            {t.contact.block}
          </Button>
        </Act>
      ) : null}
      {contact.state === "blocked" ? (
        <Act means={t.contact.blockMeans}>
          <Button size="small" disabled={deed.isPending} onClick={() => act("unblock")}>
            {t.contact.unblock}
          </Button>
        </Act>
      ) : null}
      {contact.state === "ended" ? null : (
        <Act means={t.contact.endMeans}>
          <Button size="small" disabled={deed.isPending} onClick={() => act("end")}>
            {t.contact.end}
          </Button>
        </Act>
      )}
      <Forget contact={contact} />
      {deed.isError ? <Trouble error={deed.error} /> : null}
    </section>
  );
}

function Act({ means, children }: { means: string; children: ReactNode }) {
  return (
    <div className="people-act">
      <p className="small mute">{means}</p>
      {children}
    </div>
  );
}

/** Asked twice: what goes cannot come back. */
function Forget({ contact }: { contact: ContactWhole }) {
  const t = usePeopleText();
  const router = useRouter();
  const forget = useForget();
  const [sure, setSure] = useState(false);
  const back = useReturn(sure);
  return (
    <>
      <Act means={t.contact.forgetMeans}>
        {sure ? (
          <div className="row">
            <Button
              tone="beni"
              size="small"
              disabled={forget.isPending}
              onClick={() =>
                void forget.mutateAsync(contact.id).then(
                  () => router.replace(peopleHref("contacts")),
                  () => undefined,
                )
              }
            >
              {t.contact.forget}
            </Button>
            {/* One asked for the choice by pressing Forget: the harmless one has the focus. */}
            {/* eslint-disable-next-line jsx-a11y/no-autofocus */}
            <Button tone="quiet" size="small" autoFocus onClick={() => setSure(false)}>
              {t.contact.keep}
            </Button>
          </div>
        ) : (
          <Button tone="quiet" size="small" ref={back} onClick={() => setSure(true)}>
            {t.contact.forget}
          </Button>
        )}
      </Act>
      {forget.isError ? <Trouble error={forget.error} /> : null}
    </>
  );
}
