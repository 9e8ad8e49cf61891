"use client";
import type { ReactNode } from "react";
import { formatDate, formatTime, type Language } from "@/lib/i18n";

/** A day with the time of day. */
export const momentOf = (iso: string, language: Language): string =>
  `${formatDate(iso, language)} ${formatTime(iso, language)}`;

interface RowProps {
  name: ReactNode;
  /** What it may do, what goes there, how one comes in. */
  means?: ReactNode;
  /** Since when, last used: each a few words. */
  facts?: readonly string[];
  /** What closes it. */
  act?: ReactNode;
  children?: ReactNode;
}

/** One way in: its name, what it means, since when, and what closes it. */
export function Row({ name, means, facts = [], act, children }: RowProps) {
  return (
    <li>
      <article className="exposure-row">
        <div>
          <p className="exposure-name">{name}</p>
          {means ? <p className="small mute">{means}</p> : null}
          {facts.length > 0 ? <p className="small faint num">{facts.join(" · ")}</p> : null}
        </div>
        {act ? <div className="exposure-act">{act}</div> : null}
      </article>
      {children}
    </li>
  );
}
