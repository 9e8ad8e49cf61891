"use client";
import { X } from "lucide-react";
import Link from "next/link";
import { useEffect, useState } from "react";
import { useDropGreeting, useGreet, useGreeting, useGreetings } from "@/lib/api/people";
import { useStatus } from "@/lib/api/status";
import type { Greeting } from "@/lib/api/types";
import { formatDate, formatTime, useLanguage, useText } from "@/lib/i18n";
import { usePeopleText, type PeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Area, Field } from "@/ui/field";
import { Seal } from "@/ui/seal";
import { Trouble } from "@/ui/trouble";
import { Unnamed } from "./invite";
import { inviteIn, peopleHref } from "./views";

/**
 * The link that the address brought behind its `#`, which no server is told and no log keeps; it is
 * taken out of the address at once.
 */
export function useBroughtInvite(): [link: string | null, change: (link: string | null) => void] {
  const [link, setLink] = useState<string | null>(null);
  useEffect(() => {
    const take = (): void => {
      const brought = inviteIn(window.location.hash);
      if (brought === "") return;
      window.history.replaceState(
        window.history.state,
        "",
        `${window.location.pathname}${window.location.search}`,
      );
      setLink(brought);
    };
    take();
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);
  return [link, setLink];
}

/**
 * Paste a link that somebody sent, say hello, and see them answer. `link` is what the field begins
 * with; `null`: closed.
 */
export function GreetDialog({ link, onClose }: { link: string | null; onClose: () => void }) {
  const text = useText();
  const t = usePeopleText();
  const [sent, setSent] = useState("");
  const unnamed = useStatus().data?.named === false;
  const close = (): void => {
    setSent("");
    onClose();
  };
  return (
    <Dialog
      open={link !== null}
      onClose={close}
      title={t.greet.title}
      closeLabel={text.frame.close}
    >
      {unnamed ? (
        <Unnamed />
      ) : sent === "" ? (
        <Pasting key={link} link={link ?? ""} onSent={setSent} />
      ) : (
        <Sent id={sent} onClose={close} />
      )}
    </Dialog>
  );
}

function Pasting({ link, onSent }: { link: string; onSent: (id: string) => void }) {
  const t = usePeopleText();
  const greet = useGreet();
  const [invite, setInvite] = useState(link);
  const [name, setName] = useState("");
  const strange = invite.trim() !== "" && !invite.trim().startsWith("smp://i/");
  return (
    <form
      className="invite-form"
      onSubmit={(event) => {
        event.preventDefault();
        void greet.mutateAsync({ invite: invite.trim(), name }).then(
          ({ id }) => onSent(id),
          () => undefined,
        );
      }}
    >
      <p className="mute">{t.greet.lead}</p>
      <Area
        className="invite-link"
        label={t.greet.link}
        hint={t.greet.linkHint}
        {...(strange ? { wrong: t.greet.wrong } : {})}
        value={invite}
        rows={3}
        maxLength={4000}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setInvite(event.target.value)}
      />
      <Field
        label={t.greet.name}
        hint={t.greet.nameHint}
        value={name}
        maxLength={80}
        onChange={(event) => setName(event.target.value)}
      />
      {greet.isError ? <Trouble error={greet.error} /> : null}
      <div className="row">
        <Button
          tone="ink"
          type="submit"
          disabled={greet.isPending || strange || invite.trim() === ""}
        >
          {t.greet.send}
        </Button>
      </div>
    </form>
  );
}

/** How far it has come, in words. */
const saidOf = (greeting: Greeting, t: PeopleText): string => t.greet.states[greeting.state];

function Sent({ id, onClose }: { id: string; onClose: () => void }) {
  const t = usePeopleText();
  const language = useLanguage();
  const query = useGreeting(id);
  const greeting = query.data;
  const waits = greeting?.state === "waiting";
  return (
    <div className="invite-form greet-sent">
      {query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : null}
      <div role="status">
        {greeting ? <p>{saidOf(greeting, t)}</p> : null}
        {waits ? (
          <p className="small mute num">
            {greeting.tries > 0 && greeting.next_try !== null
              ? `${t.greet.again(formatTime(greeting.next_try, language))} `
              : ""}
            {t.greet.until(
              `${formatDate(greeting.until, language)} ${formatTime(greeting.until, language)}`,
            )}
          </p>
        ) : null}
      </div>
      <div className="row wrap">
        {greeting && greeting.contact !== null ? (
          <Link
            className="btn ink"
            href={peopleHref("contacts", greeting.contact)}
            onClick={onClose}
          >
            {t.greet.compare}
          </Link>
        ) : null}
        <Button tone="quiet" onClick={onClose}>
          {t.greet.close}
        </Button>
      </div>
    </div>
  );
}

/** Invites that were accepted and met nobody yet: each with how far it has come and a way out. */
export function Greetings() {
  const t = usePeopleText();
  const items = useGreetings().data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section className="people-part greetings">
      <h2 className="part">{t.greet.list}</h2>
      <ul className="people-list" aria-label={t.greet.list}>
        {items.map((each) => (
          <GreetingLine key={each.id} greeting={each} />
        ))}
      </ul>
    </section>
  );
}

function GreetingLine({ greeting }: { greeting: Greeting }) {
  const t = usePeopleText();
  const language = useLanguage();
  const drop = useDropGreeting();
  const name = greeting.name || t.greet.who;
  const waits = greeting.state === "waiting";
  return (
    <li>
      <Seal name={greeting.name || "？"} of="away" />
      <div>
        <p className="people-name clip">{name}</p>
        <p className="small mute num">
          {saidOf(greeting, t)}
          {waits && greeting.tries > 0 && greeting.next_try !== null
            ? ` ${t.greet.again(formatTime(greeting.next_try, language))}`
            : ""}
        </p>
        {drop.isError ? <Trouble error={drop.error} /> : null}
      </div>
      <Button
        tone="quiet"
        size="small"
        icon={X}
        disabled={drop.isPending}
        aria-label={waits ? t.greet.stopOf(name) : t.greet.clearOf(name)}
        onClick={() => drop.mutate(greeting.id)}
      >
        {waits ? t.greet.stop : t.greet.clear}
      </Button>
    </li>
  );
}
