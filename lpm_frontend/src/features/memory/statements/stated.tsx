import type { StatedView } from "@/lib/api/types";
import { formatDate, useLanguage } from "@/lib/i18n";
import { useLivesText } from "@/lib/i18n/lives";
import type { PlaceOfWords } from "./panel";
import { Rests } from "./rests";

/** What the person's own texts say that they think, what was said last first. */
export function Stated({
  views,
  onOpen,
}: {
  views: StatedView[];
  onOpen: (place: PlaceOfWords) => void;
}) {
  const t = useLivesText();
  const language = useLanguage();
  return (
    <section className="remembered" aria-labelledby="stated-views">
      <h2 id="stated-views" className="label">
        {t.opinions.stated}
      </h2>
      <p className="small mute">{t.opinions.statedLead}</p>
      {views.map(({ content, since, turned, words }) => (
        <article key={`${words[0]?.document ?? ""} ${content}`} aria-label={content}>
          {since === null ? null : (
            <p className="small faint">
              {t.opinions.since(formatDate(since, language))}
              {turned ? ` · ${t.opinions.turned}` : ""}
            </p>
          )}
          <ul className="entity-passages">
            {words.map((place) => (
              <li key={`${place.document} ${String(place.start)}`}>
                <Rests place={place} onOpen={onOpen} />
              </li>
            ))}
          </ul>
        </article>
      ))}
    </section>
  );
}
