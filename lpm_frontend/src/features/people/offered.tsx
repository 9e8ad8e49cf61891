"use client";
import { Check, Download } from "lucide-react";
import Link from "next/link";
import {
  useFetchOffer,
  useKeepOffer,
  useOfferPreview,
  useReconsiderOffer,
  useRefuseOffer,
} from "@/lib/api/offers";
import type { Offer } from "@/lib/api/types";
import { formatBytes, useLanguage } from "@/lib/i18n";
import { usePeopleText, type PeopleText } from "@/lib/i18n/people";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Meter } from "@/ui/meter";
import { Trouble } from "@/ui/trouble";
import { OfferFacts } from "./offer-facts";
import { canReconsider, shareOf, standOf, type Stand } from "./offer-state";

/** Why it could not be fetched, in a sentence. */
const whyOf = (code: string, t: PeopleText): string =>
  (t.offer.whys as Readonly<Record<string, string>>)[code] ?? t.offer.whys.other;

/** What a contact offers: fetched, looked at, kept or refused, one step at a time. */
export function Offered({ offer, now }: { offer: Offer; now: number }) {
  const t = usePeopleText();
  const stand = standOf(offer, now);
  return (
    <OfferFacts offer={offer}>
      {stand === "fetching" ? <Progress offer={offer} /> : null}
      {stand === "here" ? <Preview offer={offer} /> : null}
      {stand === "kept" && offer.kept !== null ? (
        <Link className="link small" href={`/library?id=${encodeURIComponent(offer.kept)}`}>
          {t.offer.states.kept}
        </Link>
      ) : (
        <p className="small" role="status">
          {stand === "failed"
            ? `${t.offer.failed} ${whyOf(offer.code, t)}`
            : stand === "fetching" && offer.fetched === 0
              ? t.offer.states.unreached
              : t.offer.states[stand]}
        </p>
      )}
      <Acts offer={offer} stand={stand} now={now} />
    </OfferFacts>
  );
}

function Progress({ offer }: { offer: Offer }) {
  const t = usePeopleText();
  const language = useLanguage();
  return (
    <div className="offer-progress">
      <Meter value={shareOf(offer)} label={t.offer.progressOf(offer.title)} />
      {offer.size === 0 ? null : (
        <span className="small faint num">
          {t.offer.progress(
            formatBytes(offer.fetched, language),
            formatBytes(offer.size, language),
          )}
        </span>
      )}
    </div>
  );
}

/** How it begins, as plain text: a stranger's words, which nothing here has read. */
function Preview({ offer }: { offer: Offer }) {
  const t = usePeopleText();
  const query = useOfferPreview(offer);
  if (query.isError) return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Loading words={t.offer.looking} lines={2} />;
  const { text, cut } = query.data;
  return (
    <article className="letter offer-preview" aria-label={`${t.offer.preview}: ${offer.title}`}>
      <p className="letter-head">{t.offer.stranger(offer.name)}</p>
      {text === null ? (
        <p className="small mute">{t.offer.noText}</p>
      ) : (
        // it scrolls, and a keyboard has to reach it
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <p className="offer-text own" tabIndex={0} role="region" aria-label={t.offer.preview}>
          {text}
        </p>
      )}
      {text !== null && cut ? <p className="tiny faint">{t.offer.cut}</p> : null}
      <p className="tiny faint">{t.offer.keepMeans(offer.name)}</p>
    </article>
  );
}

function Acts({ offer, stand, now }: { offer: Offer; stand: Stand; now: number }) {
  const t = usePeopleText();
  const fetching = useFetchOffer();
  const keep = useKeepOffer();
  const refuse = useRefuseOffer();
  const back = useReconsiderOffer();
  const all = [fetching, keep, refuse, back];
  const busy = all.some((each) => each.isPending);
  const failed = all.find((each) => each.isError);
  const refused = (): void =>
    offerUndoWhen(refuse.mutateAsync(offer), () =>
      // what is over cannot be had again
      Date.parse(offer.until) <= Date.now()
        ? null
        : {
            sentence: t.offer.refused(offer.title),
            undo: () => void back.mutateAsync(offer).catch(() => undefined),
          },
    );
  const begins = stand === "new" || stand === "failed";
  const again = canReconsider(offer, now);
  if (stand === "kept" || stand === "gone" || (stand === "refused" && !again)) return null;
  return (
    <div className="row wrap">
      {begins ? (
        <Button
          size="small"
          icon={Download}
          disabled={busy}
          aria-label={stand === "new" ? t.offer.fetchOf(offer.title) : t.offer.againOf(offer.title)}
          onClick={() => fetching.mutate(offer)}
        >
          {stand === "new" ? t.offer.fetch : t.offer.again}
        </Button>
      ) : null}
      {stand === "here" ? (
        <Button
          size="small"
          tone="ink"
          icon={Check}
          disabled={busy}
          aria-label={t.offer.keepOf(offer.title)}
          onClick={() => keep.mutate(offer)}
        >
          {t.offer.keep}
        </Button>
      ) : null}
      {stand === "refused" ? (
        <Button
          size="small"
          tone="quiet"
          disabled={busy}
          aria-label={t.offer.undoOf(offer.title)}
          onClick={() => back.mutate(offer)}
        >
          {t.offer.undo}
        </Button>
      ) : (
        <Button
          size="small"
          tone="quiet"
          disabled={busy}
          aria-label={
            stand === "fetching" ? t.offer.stopOf(offer.title) : t.offer.refuseOf(offer.title)
          }
          onClick={refused}
        >
          {stand === "fetching" ? t.offer.stop : t.offer.refuse}
        </Button>
      )}
      {failed ? <Trouble error={failed.error} /> : null}
    </div>
  );
}
