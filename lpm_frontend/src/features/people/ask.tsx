"use client";
import { Check, Send } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useAsk, useKeepAnswer, useQuestions, useTakeBack } from "@/lib/api/people";
import type { ContactWhole, Grant, PeerQuestion } from "@/lib/api/types";
import { formatDate, formatTime, useLanguage, type Language } from "@/lib/i18n";
import { usePeopleText, type PeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Area } from "@/ui/field";
import { Seal } from "@/ui/seal";
import { Trouble } from "@/ui/trouble";
import { whyOf } from "./why";

/** The grant of theirs under which one asks: the one that holds longest, as the node chooses it. */
const grantOf = ({ grants }: ContactWhole): Grant | undefined =>
  grants
    .filter(
      (each) => each.direction === "had" && each.state === "holds" && each.verbs.includes("ask"),
    )
    .toSorted((a, b) => b.expires_at.localeCompare(a.expires_at))[0];

/**
 * Ask a contact's second self, where a grant of theirs allows it, and see what came back: theirs,
 * unchecked, and in no memory unless one keeps it.
 */
export function Asking({ contact }: { contact: ContactWhole }) {
  const t = usePeopleText();
  const grant = contact.state === "active" ? grantOf(contact) : undefined;
  const query = useQuestions(contact.id);
  const questions = query.data?.items ?? [];
  if (grant === undefined && questions.length === 0) return null;
  return (
    <section className="people-part">
      <h2 className="part">{t.ask.title(contact.name)}</h2>
      {grant ? <Composer contact={contact} grant={grant} /> : null}
      {query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : null}
      {questions.length === 0 ? null : (
        <ul className="asked-list" aria-label={t.ask.list}>
          {questions.map((each) => (
            <Asked key={each.id} contact={contact} asked={each} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Composer({ contact, grant }: { contact: ContactWhole; grant: Grant }) {
  const t = usePeopleText();
  const language = useLanguage();
  const ask = useAsk();
  const [question, setQuestion] = useState("");
  const left = Math.max(0, grant.daily.calls - grant.spent.calls);
  return (
    <form
      className="ask-form"
      onSubmit={(event) => {
        event.preventDefault();
        void ask.mutateAsync({ id: contact.id, question: question.trim() }).then(
          () => setQuestion(""),
          () => undefined,
        );
      }}
    >
      <Area
        label={t.ask.label}
        hint={t.ask.hint(grant.purpose)}
        voice="own"
        value={question}
        maxLength={4000}
        rows={2}
        onChange={(event) => setQuestion(event.target.value)}
      />
      <p className="small mute num">
        {left === 0
          ? t.ask.usedUp
          : t.ask.budget(left, grant.daily.calls, formatDate(grant.expires_at, language))}
      </p>
      {ask.isError ? <Trouble error={ask.error} /> : null}
      <div className="row">
        <Button
          tone="ink"
          type="submit"
          icon={Send}
          disabled={ask.isPending || left === 0 || question.trim() === ""}
        >
          {t.ask.send}
        </Button>
      </div>
    </form>
  );
}

/** How far a question has come: who is waited for, and until when. */
function standOf(asked: PeerQuestion, t: PeopleText, language: Language): string {
  switch (asked.state) {
    case "waiting": {
      const why =
        asked.code === "busy"
          ? t.ask.busy
          : asked.code === "consent_required"
            ? t.ask.consent
            : asked.tries > 0
              ? t.ask.notReached
              : t.ask.sending;
      return asked.tries > 0 && asked.next_try !== null
        ? `${why} ${t.ask.again(formatTime(asked.next_try, language))}`
        : why;
    }
    case "refused":
      return `${t.ask.states.refused} ${whyOf(asked.code, t)}`;
    case "expired":
    case "withdrawn":
      return t.ask.states[asked.state];
    case "answered":
      return asked.abstained ? t.ask.abstained : "";
  }
}

function Asked({ contact, asked }: { contact: ContactWhole; asked: PeerQuestion }) {
  const t = usePeopleText();
  const language = useLanguage();
  const takeBack = useTakeBack();
  const stand = standOf(asked, t, language);
  return (
    <li>
      <p className="asked-words own">{asked.question}</p>
      <p className="small mute num" role="status">
        {formatDate(asked.made_at, language)} {formatTime(asked.made_at, language)}
        {stand === "" ? "" : ` · ${stand}`}
      </p>
      {asked.answer === "" || asked.abstained ? null : <Came contact={contact} asked={asked} />}
      {asked.state === "waiting" ? (
        <Button
          tone="quiet"
          size="small"
          disabled={takeBack.isPending}
          aria-label={t.ask.takeBackOf(asked.question)}
          onClick={() => takeBack.mutate({ id: contact.id, question: asked.id })}
        >
          {t.ask.takeBack}
        </Button>
      ) : null}
      {takeBack.isError ? <Trouble error={takeBack.error} /> : null}
    </li>
  );
}

/** What came back, as another's words. */
function Came({ contact, asked }: { contact: ContactWhole; asked: PeerQuestion }) {
  const t = usePeopleText();
  const keep = useKeepAnswer();
  return (
    <article className="letter" aria-label={t.ask.from(contact.name, asked.purpose)}>
      <div className="letter-in">
        <p className="letter-head">
          <Seal name={contact.name} size="s" of="peer" />
          <span>{t.ask.from(contact.name, asked.purpose)}</span>
        </p>
        <p className="letter-words own">{asked.answer}</p>
        {asked.quotes.length === 0 ? null : (
          <details className="depth">
            <summary>{t.ask.quotes}</summary>
            <ul>
              {asked.quotes.map((each) => (
                <li key={each} className="own small">
                  {each}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      <div className="letter-acts">
        {asked.kept === null ? (
          <>
            <Button
              icon={Check}
              disabled={keep.isPending}
              onClick={() => keep.mutate({ id: contact.id, question: asked.id })}
            >
              {t.ask.keep}
            </Button>
            <span className="small faint">{t.ask.notYours}</span>
            <p className="tiny faint">{t.ask.keepMeans}</p>
          </>
        ) : (
          <Link className="link small" href={`/library?id=${encodeURIComponent(asked.kept)}`}>
            {t.ask.kept}
          </Link>
        )}
        {keep.isError ? <Trouble error={keep.error} /> : null}
      </div>
    </article>
  );
}
