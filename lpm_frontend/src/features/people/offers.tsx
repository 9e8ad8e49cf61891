"use client";
import { useIsMutating } from "@tanstack/react-query";
import { Gift } from "lucide-react";
import { useState } from "react";
import { useOffers } from "@/lib/api/offers";
import { useContacts } from "@/lib/api/people";
import type { Contact, Offer } from "@/lib/api/types";
import { usePeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { useStay } from "@/ui/stay";
import { Trouble } from "@/ui/trouble";
import { Given } from "./given";
import { OfferDialog } from "./offer-dialog";
import { isOpen } from "./offer-state";
import { Offered } from "./offered";
import { PeoplePage } from "./page";

/** Everything that is offered, to the person and by the person. */
export function Offers() {
  const t = usePeopleText();
  const query = useOffers();
  const contacts = useContacts().data?.items ?? [];
  if (!query.data)
    return (
      <PeoplePage view="offers">
        {query.isError ? (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Loading words={t.people.loading} lines={6} />
        )}
      </PeoplePage>
    );
  const { items } = query.data;
  return (
    <PeoplePage
      view="offers"
      beside={
        <>
          <p className="small mute">{t.offer.cameHint}</p>
          <p className="small mute">{t.offer.mineHint}</p>
        </>
      }
    >
      {items.length === 0 ? <Empty title={t.offer.none} /> : null}
      {/* one place for it, whether there are offers or not: what it says outlasts the first one */}
      <Offering to={contacts} />
      {items.length === 0 ? null : (
        <BothWays offers={items} now={query.dataUpdatedAt} cameNone mineNone />
      )}
    </PeoplePage>
  );
}

/** What one contact offers, and what is offered to them. */
export function OffersOf({ contact }: { contact: Contact }) {
  const query = useOffers();
  const items = (query.data?.items ?? []).filter((each) => each.contact === contact.id);
  const active = contact.state === "active";
  if (query.isError) return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  if (items.length === 0 && !active) return null;
  return (
    <>
      <BothWays offers={items} now={query.dataUpdatedAt} mineNone={active} />
      {active ? <Offering to={[contact]} /> : null}
    </>
  );
}

/** The button that opens the form; without anybody who could be offered something, it says so. */
function Offering({ to }: { to: readonly Contact[] }) {
  const t = usePeopleText();
  const [open, setOpen] = useState(false);
  const [made, setMade] = useState("");
  const active = to.filter((each) => each.state === "active");
  const [only] = active;
  if (only === undefined) return <p className="mute">{t.offer.nobody}</p>;
  return (
    <div className="offering">
      <Button
        icon={Gift}
        onClick={() => {
          setMade("");
          setOpen(true);
        }}
      >
        {active.length === 1 ? t.offer.makeTo(only.name) : t.offer.make}
      </Button>
      <p className="small mute" role="status">
        {made}
      </p>
      <OfferDialog
        open={open}
        to={active}
        onClose={() => setOpen(false)}
        onMade={(offer) => {
          setMade(t.offer.sent(offer.title, offer.name));
          setOpen(false);
        }}
      />
    </div>
  );
}

interface BothWaysProps {
  offers: readonly Offer[];
  /** When they were asked for last. */
  now: number;
  /** Say so where there is none. */
  cameNone?: boolean;
  mineNone?: boolean;
}

/** What came and what goes; the focus stays with the row that something is done about. */
function BothWays({ offers, now, cameNone = false, mineNone = false }: BothWaysProps) {
  const t = usePeopleText();
  const box = useStay<HTMLDivElement>(
    offers.map((each) => `${keyOf(each)} ${each.state} ${each.withdrawn_at}`),
    useIsMutating() > 0,
    ".offer-list > li",
  );
  return (
    <div ref={box}>
      <Part
        title={t.offer.came}
        offers={offers.filter((each) => !each.ours)}
        now={now}
        none={cameNone ? t.offer.cameNone : ""}
        row={(offer) => <Offered key={keyOf(offer)} offer={offer} now={now} />}
      />
      <Part
        title={t.offer.mine}
        offers={offers.filter((each) => each.ours)}
        now={now}
        none={mineNone ? t.offer.mineNone : ""}
        row={(offer) => <Given key={keyOf(offer)} offer={offer} now={now} />}
      />
    </div>
  );
}

const keyOf = ({ contact, id }: Offer): string => `${contact} ${id}`;

/**
 * Those that one can do something about, and the others folded away beneath. What is decided here
 * stays where it is until one comes back, so that nothing leaves from under the hand.
 */
function Part({
  title,
  offers,
  now,
  none,
  row,
}: {
  title: string;
  offers: readonly Offer[];
  now: number;
  none: string;
  row: (offer: Offer) => React.ReactNode;
}) {
  const t = usePeopleText();
  const [seen, setSeen] = useState<ReadonlySet<string>>(() => new Set());
  const fresh = offers.filter((each) => isOpen(each, now) && !seen.has(keyOf(each)));
  if (fresh.length > 0) setSeen(new Set([...seen, ...fresh.map(keyOf)]));
  const shown = offers.filter((each) => isOpen(each, now) || seen.has(keyOf(each)));
  const earlier = offers.filter((each) => !shown.includes(each));
  if (offers.length === 0 && none === "") return null;
  return (
    <section className="people-part">
      <h2 className="part">{title}</h2>
      {shown.length === 0 && none !== "" ? <p className="small mute">{none}</p> : null}
      {shown.length === 0 ? null : (
        <ul className="offer-list" aria-label={title}>
          {shown.map(row)}
        </ul>
      )}
      {earlier.length === 0 ? null : (
        <details className="depth">
          <summary>
            {t.offer.earlier} <span className="faint num">{earlier.length.toLocaleString()}</span>
          </summary>
          <ul className="offer-list over" aria-label={`${title}: ${t.offer.earlier}`}>
            {earlier.map(row)}
          </ul>
        </details>
      )}
    </section>
  );
}
