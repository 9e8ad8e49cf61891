"use client";
import { Ellipsis, PenLine, Search } from "lucide-react";
import Link from "next/link";
import { useState, type ReactNode } from "react";
import { send } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Icon } from "@/ui/icon";
import { REST, TABS, type Place } from "./places";
import { useAnyWaits, Waits } from "./waits";

/**
 * The places on a phone: as many as a thumb can tell apart, today's entry in their midst, and the
 * rest under the last, with the palette and how everything looks.
 */
export function TabBar({ here, tools }: { here: string; tools: ReactNode }) {
  const text = useText();
  const [more, setMore] = useState(false);
  const waits = useAnyWaits(REST);
  const close = (): void => setMore(false);
  const [before = [], after = []] = TABS;
  const tab = (place: Place, onClick?: () => void): ReactNode => (
    <Link
      key={place.id}
      href={place.href}
      aria-current={here === place.href ? "page" : undefined}
      {...(onClick ? { onClick } : {})}
    >
      <Icon of={place.icon} />
      <span>{text.places[place.id]}</span>
      <Waits place={place} />
    </Link>
  );
  return (
    <nav className="tabbar" aria-label={text.places.label}>
      {before.map((place) => tab(place))}
      <button type="button" aria-label={text.frame.capture} onClick={() => send("capture")}>
        <Icon of={PenLine} />
        <span>{text.frame.captureTab}</span>
      </button>
      {after.map((place) => tab(place))}
      <button
        type="button"
        aria-haspopup="dialog"
        className={REST.some((place) => place.href === here) ? "on" : undefined}
        onClick={() => setMore(true)}
      >
        <Icon of={Ellipsis} />
        <span>{text.frame.more}</span>
        {waits ? (
          <b className="waits dot">
            <span className="sr">{text.frame.waits}</span>
          </b>
        ) : null}
      </button>
      <Dialog
        open={more}
        onClose={close}
        title={text.frame.more}
        closeLabel={text.frame.close}
        shape="sheet"
      >
        <div className="more-places">{REST.map((place) => tab(place, close))}</div>
        <Button
          icon={Search}
          onClick={() => {
            close();
            send("palette");
          }}
        >
          {text.frame.find}
        </Button>
        <div className="row wrap">{tools}</div>
      </Dialog>
    </nav>
  );
}
