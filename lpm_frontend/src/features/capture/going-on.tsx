"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { occasionsQuery } from "@/lib/api/timeline";
import { nearDayName, today } from "@/lib/days";
import { useLanguage, useText } from "@/lib/i18n";
import { useCaptureText } from "@/lib/i18n/capture";
import { plain } from "@/lib/plain";
import { placeOf, SourceLine } from "@/ui/evidence";
import { promptsOf } from "./prompts";

/**
 * What is going on, from what was said: an event opens where it stands, a name is put into the
 * entry. Nothing where there is nothing, and nothing while it is not known.
 */
export function GoingOn({
  onInsert,
  onLeave,
}: {
  onInsert: (words: string) => void;
  onLeave: () => void;
}) {
  const text = useText();
  const t = useCaptureText();
  const language = useLanguage();
  const day = today();
  const found = useQuery(occasionsQuery(day)).data;
  if (!found) return null;
  const { events, named } = promptsOf(found);
  if (events.length + named.length === 0) return null;
  return (
    <section className="going-on" aria-label={t.capture.goingOn}>
      <h3 className="label">{t.capture.goingOn}</h3>
      <ul>
        {events.map(({ day: when, sentence }) => (
          <li key={`${sentence.document.id} ${String(sentence.start)}`} className="going-on-event">
            <span className="tiny faint">
              {when === day ? t.capture.days.today : t.capture.days.tomorrow}
            </span>
            <span className="own">{plain(sentence.text)}</span>
            <Link
              className="place"
              href={`/library?id=${encodeURIComponent(sentence.document.id)}&start=${sentence.start}&end=${sentence.end}`}
              aria-label={t.capture.open(sentence.document.title)}
              onClick={onLeave}
            >
              <SourceLine
                title={sentence.document.title}
                kind={sentence.document.kind}
                place={placeOf({ source: sentence.source, anchor: sentence.anchor ?? null }, text)}
              />
            </Link>
          </li>
        ))}
        {named.map(({ slug, name, last }) => (
          <li key={slug}>
            <button
              type="button"
              className="link small"
              title={t.capture.write(name)}
              onClick={() => onInsert(`${name} `)}
            >
              {t.capture.lately(name, nearDayName(last, language))}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
