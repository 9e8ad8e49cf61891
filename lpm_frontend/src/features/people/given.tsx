"use client";
import { useWithdrawOffer } from "@/lib/api/offers";
import type { Offer } from "@/lib/api/types";
import { formatBytes, useLanguage, type Language } from "@/lib/i18n";
import { usePeopleText, type PeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Trouble } from "@/ui/trouble";
import { OfferFacts } from "./offer-facts";
import { ownStandOf } from "./offer-state";

/** Whether they know of it, and how much of it they were given. */
function givenOf(
  { told, fetched, size }: Offer,
  open: boolean,
  t: PeopleText,
  language: Language,
): string {
  if (!told) return open ? t.offer.given.untold : t.offer.given.neverTold;
  if (fetched === 0) return open ? t.offer.given.none : t.offer.given.never;
  return fetched >= size
    ? t.offer.given.all
    : t.offer.given.part(formatBytes(fetched, language), formatBytes(size, language));
}

/** What the person offers to one contact, whether it was fetched, and the way to take it back. */
export function Given({ offer, now }: { offer: Offer; now: number }) {
  const t = usePeopleText();
  const language = useLanguage();
  const withdraw = useWithdrawOffer();
  const stand = ownStandOf(offer, now);
  return (
    <OfferFacts offer={offer}>
      <p className="small" role="status">
        {stand === "open" ? "" : `${t.offer.ownStates[stand]} · `}
        {givenOf(offer, stand === "open", t, language)}
      </p>
      {stand === "open" ? (
        <div className="row wrap">
          <Button
            size="small"
            disabled={withdraw.isPending}
            aria-label={t.offer.withdrawOf(offer.title)}
            onClick={() => withdraw.mutate(offer)}
          >
            {t.offer.withdraw}
          </Button>
        </div>
      ) : null}
      {withdraw.isSuccess ? <p className="small mute">{t.offer.withdrawn}</p> : null}
      {withdraw.isError ? <Trouble error={withdraw.error} /> : null}
    </OfferFacts>
  );
}
