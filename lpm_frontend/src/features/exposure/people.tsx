"use client";
import Link from "next/link";
import { useState } from "react";
import { useCloseGrant, useCloseInvite } from "@/lib/api/exposure";
import type { Exposure } from "@/lib/api/types";
import { formatDate, listed, useLanguage } from "@/lib/i18n";
import { useExposureText } from "@/lib/i18n/exposure";
import { usePeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Seal } from "@/ui/seal";
import { useStay } from "@/ui/stay";
import { Trouble } from "@/ui/trouble";
import { momentOf, Row } from "./row";

type Person = Exposure["people"][number];
type Granted = Person["grants"][number];

/** Contacts with what each may ask, and the links by which somebody can still become one. */
export function People({ known }: { known: Exposure }) {
  const t = useExposureText();
  const closeGrant = useCloseGrant();
  const [gone, setGone] = useState("");
  const box = useStay<HTMLDivElement>(
    [
      ...known.people.flatMap(({ grants }) => grants.map(({ id }) => id)),
      ...known.invites.map(({ id }) => id),
    ],
    closeGrant.isPending,
  );
  return (
    <div ref={box} className="exposure-group">
      {known.people.length === 0 && known.invites.length === 0 ? (
        <p className="small mute">
          {t.exposure.noPeople}{" "}
          <Link className="link" href="/people">
            {t.exposure.invite}
          </Link>
        </p>
      ) : null}
      <ul className="exposure-list">
        {known.people.map((each) => (
          <OnePerson
            key={each.id}
            person={each}
            busy={closeGrant.isPending}
            onRevoke={(grant) =>
              closeGrant.mutate(grant.id, {
                onSuccess: () => setGone(`${each.name}, ${grant.purpose}`),
              })
            }
          />
        ))}
        <Invites known={known} />
      </ul>
      <p className="small mute" role="status">
        {gone === "" ? "" : t.exposure.gone(gone)}
      </p>
      {closeGrant.isError ? <Trouble error={closeGrant.error} /> : null}
    </div>
  );
}

function OnePerson({
  person,
  busy,
  onRevoke,
}: {
  person: Person;
  busy: boolean;
  onRevoke: (grant: Granted) => void;
}) {
  const t = useExposureText();
  const p = usePeopleText();
  const language = useLanguage();
  return (
    <Row
      name={
        <>
          <Seal name={person.name} size="xs" of="peer" />{" "}
          <Link
            className="people-name own"
            href={`/people?view=contacts&id=${encodeURIComponent(person.id)}`}
          >
            {person.name}
          </Link>
        </>
      }
      means={person.grants.length === 0 ? t.exposure.nothingGranted : null}
      facts={[
        t.exposure.since(formatDate(person.met_at, language)),
        person.last_asked_at === null
          ? t.exposure.unasked
          : t.exposure.asked(momentOf(person.last_asked_at, language)),
      ]}
    >
      <ul className="exposure-list inner" aria-label={p.contact.mayAsk(person.name)}>
        {person.grants.map((each) => (
          <Row
            key={each.id}
            name={t.exposure.may(
              each.verbs
                .map((verb) => p.give.verbs[verb])
                .join(language === "ja" ? p.give.and : ` ${p.give.and} `),
              each.tags.length === 0 ? p.give.everything : listed(each.tags, language),
            )}
            means={[
              p.give.form[each.form],
              each.consent === "ask" ? p.grant.consentAsk : p.grant.consentAuto,
              t.exposure.covers(each.covers),
              t.exposure.purpose(each.purpose),
            ].join(" · ")}
            facts={[
              t.exposure.since(formatDate(each.given_at, language)),
              t.exposure.until(formatDate(each.expires_at, language)),
              each.last_asked_at === null
                ? t.exposure.unasked
                : t.exposure.asked(momentOf(each.last_asked_at, language)),
            ]}
            act={
              <Button
                size="small"
                aria-label={t.exposure.revokeGrant(person.name, each.purpose)}
                disabled={busy}
                onClick={() => onRevoke(each)}
              >
                {t.exposure.revoke}
              </Button>
            }
          />
        ))}
      </ul>
    </Row>
  );
}

function Invites({ known }: { known: Exposure }) {
  const t = useExposureText();
  const language = useLanguage();
  const close = useCloseInvite();
  return (
    <>
      {known.invites.map((each) => (
        <Row
          key={each.id}
          name={t.exposure.openInvite(each.label)}
          means={t.exposure.inviteMeans}
          facts={[
            t.exposure.since(momentOf(each.made_at, language)),
            t.exposure.until(momentOf(each.expires_at, language)),
          ]}
          act={
            <Button
              size="small"
              aria-label={t.exposure.withdrawOf(each.label)}
              disabled={close.isPending}
              onClick={() => close.mutate(each.id)}
            >
              {t.exposure.withdraw}
            </Button>
          }
        >
          {close.isError ? <Trouble error={close.error} /> : null}
        </Row>
      ))}
    </>
  );
}
