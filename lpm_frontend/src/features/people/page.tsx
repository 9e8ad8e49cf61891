"use client";
import Link from "next/link";
import type { ReactNode } from "react";
import { useOffers } from "@/lib/api/offers";
import { useInbox } from "@/lib/api/people";
import type { Contact } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { usePeopleText } from "@/lib/i18n/people";
import { useMedia, WIDE } from "@/lib/media";
import { Bar } from "@/ui/bar";
import { Empty } from "@/ui/faces";
import { Seal } from "@/ui/seal";
import { Views } from "@/ui/views";
import { isWaiting } from "./offer-state";
import { peopleHref, VIEWS, type View } from "./views";

interface PlaceProps {
  view: View;
  children: ReactNode;
  /** What stands in the margin; under the page where there is no room for one. */
  beside?: ReactNode;
  /** What the margin holds. */
  label?: string;
}

/** The page that every way to look at people stands on. */
export function PeoplePage({ view, children, beside = null, label = "" }: PlaceProps) {
  const text = useText();
  const t = usePeopleText();
  const wide = useMedia(WIDE);
  const waiting = useInbox().data?.waiting ?? 0;
  const { data: offers, dataUpdatedAt: now } = useOffers();
  const offered = (offers?.items ?? []).filter((each) => isWaiting(each, now)).length;
  const words = {
    ...t.people.view,
    offers:
      offered === 0
        ? t.people.view.offers
        : `${t.people.view.offers} · ${offered.toLocaleString()}`,
    inbox:
      waiting === 0 ? t.people.view.inbox : `${t.people.view.inbox} · ${waiting.toLocaleString()}`,
  };
  return (
    <>
      <Bar title={text.places.people}>
        <Views
          label={t.people.views}
          views={VIEWS}
          current={view}
          words={words}
          href={peopleHref}
        />
      </Bar>
      <div className="cols">
        <div className="main people">
          {children}
          {wide || beside === null ? null : <div className="people-beside">{beside}</div>}
        </div>
        {wide ? (
          <aside
            className="margin people-beside"
            aria-label={label === "" ? text.places.people : label}
          >
            {beside}
          </aside>
        ) : null}
      </div>
    </>
  );
}

/** The contact that an address names is not there. */
export function LostContact() {
  const t = usePeopleText();
  return (
    <Empty title={t.people.lost}>
      <Link className="link" href={peopleHref("contacts")}>
        {t.people.all}
      </Link>
    </Empty>
  );
}

/** A contact's mark: filled while they may come in, an outline otherwise. */
export const PeerSeal = ({
  contact,
  size = "m",
}: {
  contact: Pick<Contact, "name" | "state">;
  size?: "xs" | "s" | "m" | "l";
}) => <Seal name={contact.name} size={size} of={contact.state === "active" ? "peer" : "away"} />;
