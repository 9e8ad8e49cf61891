"use client";
import Link from "next/link";
import type { ReactNode } from "react";
import type { Offer } from "@/lib/api/types";
import { formatBytes, formatDate, formatTime, useLanguage, type Language } from "@/lib/i18n";
import { usePeopleText, type PeopleText } from "@/lib/i18n/people";
import { Seal } from "@/ui/seal";
import { mediaKindOf } from "./offer-state";
import { peopleHref } from "./views";

const momentOf = (iso: string, language: Language): string =>
  `${formatDate(iso, language)} ${formatTime(iso, language)}`;

/** Kind, size, since when and until when, as far as they are known. */
function factsOf(offer: Offer, t: PeopleText, language: Language): readonly string[] {
  const said = !offer.ours && offer.grant !== null;
  return [
    t.offer.kinds[mediaKindOf(offer.media)],
    offer.size === 0 ? t.offer.sizeUnknown : formatBytes(offer.size, language),
    ...(offer.came_at === null || said
      ? []
      : [t.offer.cameAt(formatDate(offer.came_at, language))]),
    ...(said ? [t.offer.underGrant] : []),
    t.offer.until(momentOf(offer.until, language)),
  ];
}

/** One offer: whose it is, what it is called and what it is; below it, what is done about it. */
export function OfferFacts({ offer, children }: { offer: Offer; children: ReactNode }) {
  const t = usePeopleText();
  const language = useLanguage();
  return (
    <li>
      <Seal name={offer.name} size="s" of="peer" />
      <div>
        <p className="offer-title own">
          {offer.ours && offer.document !== null ? (
            <Link className="link" href={`/library?id=${encodeURIComponent(offer.document)}`}>
              {offer.title}
            </Link>
          ) : (
            offer.title
          )}
        </p>
        <p className="small mute num" title={offer.media}>
          <Link className="people-name" href={peopleHref("contacts", offer.contact)}>
            {offer.ours ? t.offer.toName(offer.name) : t.offer.from(offer.name)}
          </Link>{" "}
          · {factsOf(offer, t, language).join(" · ")}
        </p>
        {children}
      </div>
    </li>
  );
}
