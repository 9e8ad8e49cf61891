"use client";
import { ChevronLeft, ChevronRight } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import { useTold, useYear } from "@/lib/api/timeline";
import type { Day } from "@/lib/api/types";
import { useCommand } from "@/lib/commands";
import {
  bounds,
  dayName,
  monthOfYear,
  SPANS,
  today,
  weekdayName,
  yearOf,
  type Span,
} from "@/lib/days";
import { useLanguage, type Language } from "@/lib/i18n";
import { usePlacesText, type PlacesText } from "@/lib/i18n/places";
import { Button, IconButton } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { Segmented } from "@/ui/field";
import { Margin } from "@/ui/margin";
import { Trouble } from "@/ui/trouble";
import { DayTold } from "./day";
import { Heat, HeatKey } from "./heat";
import type { PlaceOfWords } from "../statements/panel";
import { MemoryBar } from "../tabs";
import { timelineHref, type TimelineWish } from "../views";

interface TimelineProps {
  wish: TimelineWish;
  reader: (place: PlaceOfWords, onClose: () => void) => ReactNode;
}

/** A year of days, and in plain sentences what the chosen ones hold. */
export function Timeline({ wish, reader }: TimelineProps) {
  const t = usePlacesText();
  const router = useRouter();
  const [place, setPlace] = useState<PlaceOfWords | null>(null);
  const [asTable, setAsTable] = useState(false);
  const [asked, setAsked] = useState(wish.year === 0 ? yearOf(today()) : wish.year);
  const query = useYear(wish.year === 0 ? asked : wish.year);
  const known = query.data;
  // Nobody said which year: the last one that holds something.
  const last = known?.last ?? null;
  if (wish.year === 0 && last !== null && yearOf(last) !== asked) setAsked(yearOf(last));
  const year = wish.year === 0 ? asked : wish.year;
  const days = useMemo(
    () =>
      new Map(
        (known?.days ?? [])
          .filter((each) => yearOf(each.day) === year)
          .map((each) => [each.day, each]),
      ),
    [known, year],
  );
  const chosen = wish.day !== "" ? wish.day : ([...days.keys()].at(-1) ?? "");
  const [from, to] = chosen === "" ? ["", ""] : bounds(chosen, wish.span);
  const go = useCallback(
    (next: TimelineWish) => router.replace(timelineHref(next), { scroll: false }),
    [router],
  );
  const close = useCallback(() => setPlace(null), []);
  useCommand("stop", close);
  const first = known?.first ?? null;
  const empty = known !== undefined && first === null;
  return (
    <>
      <MemoryBar view="timeline" />
      <div className="cols">
        <div className="main timeline">
          {query.isError && !known ? (
            <Trouble error={query.error} onRetry={() => void query.refetch()} />
          ) : empty ? (
            <Empty title={t.timeline.empty}>
              <p className="mute">{t.timeline.emptyHint}</p>
              {known.undated > 0 ? (
                <p className="mute num">{t.timeline.undated(known.undated)}</p>
              ) : null}
              <Link className="btn plain usual" href="/library">
                {t.timeline.library}
              </Link>
            </Empty>
          ) : (
            <>
              <header className="timeline-head">
                <h2>{t.timeline.title}</h2>
                <p className="small faint num" role="status">
                  {known === undefined ? t.timeline.loading : t.timeline.days(days.size)}
                </p>
                <HeatKey />
              </header>
              <div className="timeline-tools">
                <Years
                  year={year}
                  first={first === null ? year : yearOf(first)}
                  last={last === null ? year : yearOf(last)}
                  onChange={(next) => go({ day: "", span: wish.span, year: next })}
                />
                <Button
                  size="small"
                  tone="quiet"
                  aria-pressed={asTable}
                  onClick={() => setAsTable(!asTable)}
                >
                  {asTable ? t.common.asPicture : t.common.asTable}
                </Button>
              </div>
              {asTable ? (
                <DayTable year={year} days={days} onChoose={(day) => go({ ...wish, day })} />
              ) : (
                <Heat
                  year={year}
                  days={days}
                  from={from}
                  to={to}
                  chosen={chosen}
                  onChoose={(day) => go({ ...wish, day })}
                />
              )}
              {known !== undefined && known.undated > 0 ? (
                <p className="tiny faint num timeline-undated">
                  {t.timeline.undated(known.undated)}
                </p>
              ) : null}
              {known === undefined ? (
                <Loading words={t.timeline.loading} lines={4} />
              ) : chosen === "" ? null : (
                <Chosen
                  key={`${from} ${to}`}
                  day={chosen}
                  from={from}
                  to={to}
                  span={wish.span}
                  onSpan={(span) => go({ day: chosen, span, year })}
                  onOpen={setPlace}
                />
              )}
            </>
          )}
        </div>
        <Margin label={t.timeline.title} open={place !== null} onClose={close}>
          {place ? (
            reader(place, close)
          ) : empty ? null : (
            <p className="margin-hint small faint">{t.timeline.choose}</p>
          )}
        </Margin>
      </div>
    </>
  );
}

function Years({
  year,
  first,
  last,
  onChange,
}: {
  year: number;
  first: number;
  last: number;
  onChange: (year: number) => void;
}) {
  const t = usePlacesText();
  const from = Math.min(first, year);
  const to = Math.max(last, year);
  return (
    <div className="years" role="group" aria-label={t.timeline.year}>
      <IconButton
        icon={ChevronLeft}
        label={t.timeline.yearBefore}
        disabled={year <= from}
        onClick={() => onChange(year - 1)}
      />
      <select
        className="num"
        aria-label={t.timeline.year}
        value={year}
        onChange={(event) => onChange(Number(event.target.value))}
      >
        {Array.from({ length: to - from + 1 }, (_, at) => to - at).map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      <IconButton
        icon={ChevronRight}
        label={t.timeline.yearAfter}
        disabled={year >= to}
        onClick={() => onChange(year + 1)}
      />
    </div>
  );
}

/** The same days as a table. */
function DayTable({
  year,
  days,
  onChoose,
}: {
  year: number;
  days: ReadonlyMap<string, Day>;
  onChoose: (day: string) => void;
}) {
  const t = usePlacesText();
  const language = useLanguage();
  return (
    <div className="day-table">
      <table>
        <caption className="sr">{t.timeline.table(year)}</caption>
        <thead>
          <tr>
            <th scope="col">{t.timeline.columns.day}</th>
            <th scope="col">{t.timeline.columns.passages}</th>
            <th scope="col">{t.timeline.columns.statements}</th>
          </tr>
        </thead>
        <tbody className="num">
          {[...days.values()].toReversed().map((each) => (
            <tr key={each.day}>
              <th scope="row">
                <button type="button" className="link" onClick={() => onChoose(each.day)}>
                  {weekdayName(each.day, language, true)} {dayName(each.day, language)}
                </button>
              </th>
              <td>{each.passages.toLocaleString(language)}</td>
              <td>{each.statements.toLocaleString(language)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const nameOf = (from: string, to: string, span: Span, language: Language, t: PlacesText): string =>
  span === "day"
    ? dayName(from, language)
    : span === "week"
      ? t.timeline.week(dayName(from, language), dayName(to, language))
      : monthOfYear(from, language);

interface ChosenProps {
  day: string;
  from: string;
  to: string;
  span: Span;
  onSpan: (span: Span) => void;
  onOpen: (place: PlaceOfWords) => void;
}

/** The chosen day, week or month, told day by day. */
function Chosen({ from, to, span, onSpan, onOpen }: ChosenProps) {
  const t = usePlacesText();
  const language = useLanguage();
  const query = useTold(from, to);
  const told = query.data?.pages.flatMap((page) => page.days) ?? [];
  const name = nameOf(from, to, span, language, t);
  return (
    <section className="told-days" aria-label={name}>
      <header className="told-head">
        <h2 className="num">{name}</h2>
        <Segmented
          label={t.timeline.span}
          value={span}
          choices={SPANS.map((each) => [each, t.timeline.spans[each]] as const)}
          onChange={onSpan}
        />
        <Link
          className="link small"
          href={`/?ask=${encodeURIComponent(t.timeline.question[span](name))}`}
        >
          {t.timeline.ask[span]}
        </Link>
      </header>
      {query.isError && !query.data ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading words={t.timeline.loading} lines={4} />
      ) : told.length === 0 ? (
        <p className="mute told-none">{t.timeline.nothing[span]}</p>
      ) : (
        told.map((each) => <DayTold key={each.day} day={each} onOpen={onOpen} />)
      )}
      {query.hasNextPage ? (
        <Button
          className="memory-more"
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t.common.more}
        </Button>
      ) : null}
    </section>
  );
}
