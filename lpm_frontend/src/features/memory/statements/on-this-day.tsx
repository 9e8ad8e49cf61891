"use client";
import type { UseQueryResult } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import type { Anniversaries, Day } from "@/lib/api/types";
import { dayName, yearOf } from "@/lib/days";
import { useLanguage, useText } from "@/lib/i18n";
import { plain } from "@/lib/plain";
import { fileOf } from "@/lib/statement";
import { Button } from "@/ui/button";
import { AuthorName, placeOf, Quote, SourceLine } from "@/ui/evidence";

/** How many stand there before one asks for more. */
const FEW = 2;

/**
 * What was said on this date in earlier years, or else in this week of last year, each with its
 * place; nothing where there is nothing.
 */
export function OnThisDay({ query }: { query: UseQueryResult<Anniversaries> }) {
  const text = useText();
  const [all, setAll] = useState(false);
  const found = query.data;
  if (!found || found.items.length === 0) return null;
  const title = found.exact ? text.memory.onThisDay : text.memory.yearAgoThisWeek;
  const shown = all ? found.items : found.items.slice(0, FEW);
  const rest = found.items.length - shown.length;
  return (
    <section className="found-today on-this-day" aria-label={title}>
      <h2>{title}</h2>
      {shown.map((day) => (
        <Then key={day.day} day={day} year={found.exact ? yearOf(found.day) : 0} />
      ))}
      {rest > 0 || all ? (
        <Button size="small" tone="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? text.memory.waitingFewer : text.memory.waitingAll(rest)}
        </Button>
      ) : null}
    </section>
  );
}

/** One earlier day in its own best sentence. `year` is that of today where years are counted. */
function Then({ day, year }: { day: Day; year: number }) {
  const text = useText();
  const language = useLanguage();
  const said = day.sentence;
  if (!said) return null;
  const title = said.source.startsWith("documents/") ? said.document.title : fileOf(said.source);
  return (
    <article className="it then" aria-label={plain(said.text)}>
      <p className="small mute num">
        {year > 0 ? (
          <>
            <b>{text.memory.yearsAgo(year - yearOf(day.day))}</b>
            {" · "}
          </>
        ) : null}
        {dayName(day.day, language)}
      </p>
      <Quote author={said.author ?? null}>{plain(said.text)}</Quote>
      <div className="m">
        <Link
          className="place"
          href={`/library?id=${encodeURIComponent(said.document.id)}&start=${said.start}&end=${said.end}`}
        >
          <SourceLine
            title={title}
            kind={said.document.kind}
            place={placeOf({ source: said.source, anchor: said.anchor ?? null }, text)}
          />
        </Link>
        <AuthorName author={said.author} />
      </div>
    </article>
  );
}
