"use client";
import { LockKeyhole } from "lucide-react";
import Link from "next/link";
import type { Day } from "@/lib/api/types";
import { dayName, weekdayName } from "@/lib/days";
import { listed, useLanguage, useText } from "@/lib/i18n";
import { usePlacesText } from "@/lib/i18n/places";
import { fileOf } from "@/lib/statement";
import { placeOf, Quote, SourceLine } from "@/ui/evidence";
import { Icon } from "@/ui/icon";
import type { PlaceOfWords } from "../statements/panel";

/** One day in plain sentences, with one of the person's own and its place. */
export function DayTold({ day, onOpen }: { day: Day; onOpen: (place: PlaceOfWords) => void }) {
  const text = useText();
  const t = usePlacesText();
  const language = useLanguage();
  const said = day.sentence ?? null;
  const documents = day.documents ?? [];
  const names = day.names ?? [];
  const rest = (day.document_count ?? 0) - documents.length;
  const title =
    said === null
      ? ""
      : said.source.startsWith("documents/")
        ? said.document.title
        : fileOf(said.source);
  return (
    <article className="told-day">
      <h3 className="told-when">
        <b>{weekdayName(day.day, language)}</b>{" "}
        <span className="num">{dayName(day.day, language)}</span>
      </h3>
      <div className="told-what">
        <p>
          <span className="num">
            {t.timeline.told(day.passages, day.statements, day.document_count ?? 0)}
          </span>{" "}
          {names.length === 0 ? null : t.timeline.names(listed(names, language))}
        </p>
        {said === null ? null : (
          <>
            <Quote author={said.author ?? null}>{said.text}</Quote>
            <p className="told-facts">
              <button
                type="button"
                className="place"
                aria-label={t.common.openPlace(title)}
                onClick={() =>
                  onOpen({ document: said.document.id, start: said.start, end: said.end })
                }
              >
                <SourceLine
                  title={title}
                  kind={said.document.kind}
                  place={placeOf({ source: said.source, anchor: said.anchor ?? null }, text)}
                />
              </button>
              {said.speaker ? (
                <span className="tiny faint">{t.timeline.saidBy(said.speaker)}</span>
              ) : null}
              {said.document.private ? <Private /> : null}
            </p>
          </>
        )}
        <ul className="told-documents">
          {documents.map((document) => (
            <li key={document.id}>
              <Link className="link small" href={`/library?id=${document.id}`}>
                {document.title}
              </Link>
              {document.private ? <Private /> : null}
            </li>
          ))}
          {rest > 0 ? <li className="small faint num">{t.timeline.others(rest)}</li> : null}
        </ul>
      </div>
    </article>
  );
}

function Private() {
  const t = usePlacesText();
  return (
    <span className="chip">
      <Icon of={LockKeyhole} />
      {t.common.private}
    </span>
  );
}
