"use client";
import type { DatedEvidence } from "@/lib/api/types";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { useLivesText } from "@/lib/i18n/lives";
import { fileOf } from "@/lib/statement";
import { placeOf, Quote, SourceLine } from "@/ui/evidence";
import type { PlaceOfWords } from "./panel";

type Place = Omit<DatedEvidence, "at" | "kept"> & Partial<Pick<DatedEvidence, "at" | "kept">>;

/**
 * Words that something rests on, and the way to where they stand; `brief` where the words
 * themselves stand beside it already.
 */
export function Rests({
  place,
  onOpen,
  brief = false,
}: {
  place: Place;
  onOpen?: (place: PlaceOfWords) => void;
  brief?: boolean;
}) {
  const text = useText();
  const t = useLivesText();
  const language = useLanguage();
  const title = place.source.startsWith("documents/") ? place.title : fileOf(place.source);
  const source = <SourceLine title={title} place={placeOf({ source: place.source }, text)} />;
  return (
    <div className="entity-passage">
      {brief ? null : <Quote author={null}>{place.quote}</Quote>}
      <p className="told-facts">
        {onOpen ? (
          <button
            type="button"
            className="place"
            aria-label={t.common.openPlace(title)}
            onClick={() => onOpen({ document: place.document, start: place.start, end: place.end })}
          >
            {source}
          </button>
        ) : (
          source
        )}
        {place.at === undefined || place.at === null ? null : (
          <span className="tiny faint num">{formatDate(place.at, language)}</span>
        )}
        {place.kept === undefined ? null : (
          <span className="tiny faint">{place.kept ? t.common.stated : t.common.found}</span>
        )}
      </p>
    </div>
  );
}
