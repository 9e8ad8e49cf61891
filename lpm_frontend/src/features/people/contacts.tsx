"use client";
import { Link2, UserPlus } from "lucide-react";
import Link from "next/link";
import { useCallback, useDeferredValue, useState } from "react";
import { useContacts, useContactsLike, useInvites, useWithdraw } from "@/lib/api/people";
import type { Contact, Invite } from "@/lib/api/types";
import { useCommand } from "@/lib/commands";
import { formatDate, formatTime, useLanguage } from "@/lib/i18n";
import { usePeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { Field } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { GreetDialog, Greetings, useBroughtInvite } from "./greet";
import { InviteDialog } from "./invite";
import { PeerSeal, PeoplePage } from "./page";
import { Reach } from "./reach";
import { peopleHref } from "./views";

/** From so many on, one looks for somebody rather than reading a list. */
const MANY = 8;

/** Everybody whom this node knows, and the links that others can still use. */
export function Contacts() {
  const t = usePeopleText();
  const query = useContacts();
  const [inviting, setInviting] = useState(false);
  const [link, setLink] = useBroughtInvite();
  useCommand(
    "new",
    useCallback(() => setInviting(true), []),
  );
  useCommand(
    "step",
    useCallback(({ by }) => step(by), []),
  );
  const begin = (
    <div className="row wrap people-tools">
      <Button tone="ink" icon={UserPlus} onClick={() => setInviting(true)}>
        {t.invite.make}
      </Button>
      <Button icon={Link2} onClick={() => setLink("")}>
        {t.greet.make}
      </Button>
    </div>
  );
  return (
    <PeoplePage
      view="contacts"
      beside={
        <>
          <Invites />
          <Reach />
        </>
      }
      label={t.invite.list}
    >
      <Greetings />
      {query.data ? (
        query.data.items.length === 0 ? (
          <Empty title={t.people.none}>
            <p className="mute">{t.people.noneHint}</p>
            {begin}
          </Empty>
        ) : (
          <>
            {begin}
            <Found contacts={query.data.items} />
          </>
        )
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={t.people.loading} lines={6} />
      )}
      <InviteDialog open={inviting} onClose={() => setInviting(false)} />
      <GreetDialog link={link} onClose={() => setLink(null)} />
    </PeoplePage>
  );
}

/**
 * The list; where it is long, with a field that finds somebody by a name, a note, an identity or an
 * address.
 */
function Found({ contacts }: { contacts: readonly Contact[] }) {
  const t = usePeopleText();
  const [text, setText] = useState("");
  const wanted = useDeferredValue(text.trim());
  const found = useContactsLike(wanted).data?.items;
  const items = wanted === "" ? contacts : (found ?? contacts);
  return (
    <>
      {contacts.length < MANY ? null : (
        <Field
          type="search"
          label={t.people.find}
          hint={t.people.findHint}
          value={text}
          maxLength={200}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <ul className="people-list" aria-label={t.people.list}>
        {items.map((contact) => (
          <ContactLine key={contact.id} contact={contact} />
        ))}
      </ul>
      <p className="small mute" role="status">
        {items.length === 0 ? t.people.findNone : ""}
      </p>
    </>
  );
}

/** The next or the previous name in the list gets the focus. */
function step(by: 1 | -1): void {
  const names = [...document.querySelectorAll<HTMLElement>(".people-list a")];
  const at = names.findIndex((name) => name === document.activeElement);
  names[at === -1 ? 0 : Math.min(names.length - 1, Math.max(0, at + by))]?.focus();
}

function ContactLine({ contact }: { contact: Contact }) {
  const t = usePeopleText();
  const language = useLanguage();
  return (
    <li>
      <PeerSeal contact={contact} />
      <div>
        <Link className="people-name clip" href={peopleHref("contacts", contact.id)}>
          {contact.name}
        </Link>
        <p className="small mute">
          {contact.state === "active"
            ? t.people.given(contact.given)
            : t.people.states[contact.state]}
          {contact.had > 0 ? ` · ${t.people.had(contact.had)}` : ""}
        </p>
      </div>
      <span className="small faint num">
        {contact.last_seen === null
          ? t.people.met(formatDate(contact.met_at, language))
          : t.people.seen(formatDate(contact.last_seen, language))}
      </span>
    </li>
  );
}

/** Links that were made, with what became of them. */
function Invites() {
  const t = usePeopleText();
  const query = useInvites();
  const withdraw = useWithdraw();
  const items = query.data?.items ?? [];
  return (
    <section className="people-part">
      <h2 className="label">{t.invite.list}</h2>
      {query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : null}
      {items.length === 0 ? <p className="small mute">{t.invite.lead}</p> : null}
      <ul className="invite-list">
        {items.map((each) => (
          <InviteLine
            key={each.id}
            invite={each}
            onWithdraw={() => withdraw.mutate(each.id)}
            busy={withdraw.isPending}
          />
        ))}
      </ul>
      {withdraw.isError ? <Trouble error={withdraw.error} /> : null}
      <p className="sr" role="status">
        {withdraw.isSuccess ? t.invite.withdrawn : ""}
      </p>
    </section>
  );
}

function InviteLine({
  invite,
  onWithdraw,
  busy,
}: {
  invite: Invite;
  onWithdraw: () => void;
  busy: boolean;
}) {
  const t = usePeopleText();
  const language = useLanguage();
  const label = invite.label || t.invite.unnamed;
  return (
    <li>
      <div>
        <p className="clip">{label}</p>
        <p className="tiny faint num">
          {invite.state === "open"
            ? t.invite.until(
                `${formatDate(invite.expires_at, language)} ${formatTime(invite.expires_at, language)}`,
              )
            : t.invite.states[invite.state]}
        </p>
      </div>
      {invite.state === "open" ? (
        <Button
          tone="quiet"
          size="small"
          disabled={busy}
          onClick={onWithdraw}
          aria-label={t.invite.withdrawOf(label)}
        >
          {t.invite.withdraw}
        </Button>
      ) : null}
      {invite.contact === null ? null : (
        <Link className="link small" href={peopleHref("contacts", invite.contact)}>
          {invite.words.slice(0, 2).join(" ") || t.invite.states.used}
        </Link>
      )}
    </li>
  );
}
