"use client";
import { PenLine } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useContacts, useGrants, useRevoke } from "@/lib/api/people";
import type { Grant } from "@/lib/api/types";
import { useLanguage } from "@/lib/i18n";
import { usePeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Seal } from "@/ui/seal";
import { Trouble } from "@/ui/trouble";
import { partsOf, saidBy } from "./draft";
import { PeoplePage } from "./page";
import { peopleHref } from "./views";
import { wordsOf, type Token } from "./words";

/** Every grant, given and had, each as a sentence. */
export function Grants() {
  const t = usePeopleText();
  const query = useGrants();
  const contacts = useContacts().data?.items ?? [];
  const someone = contacts.some((contact) => contact.state === "active");
  const write = someone ? (
    <Link className="btn ink" href={peopleHref("give")}>
      <Icon of={PenLine} />
      {t.grant.make}
    </Link>
  ) : (
    <Link className="btn" href={peopleHref("contacts")}>
      {t.people.all}
    </Link>
  );
  if (!query.data)
    return (
      <PeoplePage view="grants">
        {query.isError ? (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Loading words={t.people.loading} lines={6} />
        )}
      </PeoplePage>
    );
  const items = query.data.items;
  const given = items.filter((grant) => grant.direction === "given");
  const had = items.filter((grant) => grant.direction === "had");
  return (
    <PeoplePage
      view="grants"
      beside={items.length === 0 ? null : <p className="small mute">{t.grant.noneHint}</p>}
    >
      {items.length === 0 ? (
        <Empty title={t.grant.none}>
          <p className="mute">{t.grant.noneHint}</p>
          {write}
        </Empty>
      ) : (
        <>
          <div className="row people-tools">{write}</div>
          <GrantList title={t.grant.given} grants={given} />
          <GrantList title={t.grant.had} grants={had} />
        </>
      )}
    </PeoplePage>
  );
}

/** Grants that stand, with those that are over folded away beneath. */
export function GrantList({
  title,
  grants,
  none = "",
}: {
  title: string;
  grants: readonly Grant[];
  none?: string;
}) {
  const t = usePeopleText();
  const [revoked, setRevoked] = useState<string | null>(null);
  const standing = grants.filter(
    (grant) => grant.state === "holds" || grant.state === "resting" || grant.id === revoked,
  );
  const over = grants.filter((grant) => !standing.includes(grant));
  if (grants.length === 0 && none === "") return null;
  return (
    <section className="people-part">
      <h2 className="part">{title}</h2>
      {standing.length === 0 && over.length === 0 ? <p className="small mute">{none}</p> : null}
      {standing.length > 0 ? (
        <ul className="grant-list" aria-label={title}>
          {standing.map((grant) => (
            <GrantLine key={grant.id} grant={grant} onRevoked={() => setRevoked(grant.id)} />
          ))}
        </ul>
      ) : null}
      <p className="sr" role="status">
        {revoked === null ? "" : t.grant.revoked}
      </p>
      {over.length > 0 ? (
        <details className="depth">
          <summary>
            {t.grant.over} <span className="faint num">{over.length.toLocaleString()}</span>
          </summary>
          <ul className="grant-list">
            {over.map((grant) => (
              <GrantLine key={grant.id} grant={grant} />
            ))}
          </ul>
        </details>
      ) : null}
    </section>
  );
}

function GrantLine({
  grant,
  onRevoked = () => undefined,
}: {
  grant: Grant;
  onRevoked?: () => void;
}) {
  const t = usePeopleText();
  const language = useLanguage();
  const revoke = useRevoke();
  const words = wordsOf(saidBy(grant), grant.name || t.people.deleted, false, t, language);
  const given = grant.direction === "given";
  const holds = grant.state === "holds" || grant.state === "resting";
  const facts = [
    t.grant.purpose(grant.purpose),
    ...(given ? [grant.consent === "ask" ? t.grant.consentAsk : t.grant.consentAuto] : []),
    ...(grant.covers === null ? [] : [t.grant.covers(grant.covers)]),
    ...(holds ? [t.grant.used(grant.spent.calls, grant.daily.calls)] : []),
    ...(grant.parent === null ? [] : [t.grant.passedOn]),
  ];
  return (
    <li className={holds ? undefined : "over"}>
      <Seal name={grant.name} size="s" of={grant.state === "holds" ? "peer" : "away"} />
      <div>
        <p className="grant-said">
          {partsOf(given ? t.grant.sentence : t.grant.sentenceHad).map((part, at) =>
            "words" in part ? part.words : <b key={at}>{words[part.name as Token]}</b>,
          )}
        </p>
        <p className="small mute num">{facts.join(" · ")}</p>
        {grant.words === "" ? null : <p className="own small">{grant.words}</p>}
        {grant.state === "revoked" && given ? (
          <p className="small grant-revoked">{t.grant.revoked}</p>
        ) : null}
        {revoke.isError ? <Trouble error={revoke.error} /> : null}
      </div>
      {given && holds ? (
        <Button
          size="small"
          disabled={revoke.isPending}
          aria-label={t.grant.revokeOf(grant.name)}
          onClick={() => void revoke.mutateAsync(grant.id).then(onRevoked, () => undefined)}
        >
          {t.grant.revoke}
        </Button>
      ) : (
        <span className="small faint">{t.grant.states[grant.state]}</span>
      )}
    </li>
  );
}
