"use client";
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import type { Day } from "@/lib/api/types";
import {
  dayAndWeekday,
  fullness,
  later,
  monthName,
  strength,
  weekday,
  weekdayName,
  weeksOf,
} from "@/lib/days";
import { useLanguage } from "@/lib/i18n";
import { usePlacesText } from "@/lib/i18n/places";

interface HeatProps {
  year: number;
  days: ReadonlyMap<string, Day>;
  /** The chosen stretch, both ends among it. */
  from: string;
  to: string;
  chosen: string;
  onChoose: (day: string) => void;
}

/** Where each key goes from a day. */
const STEPS: Readonly<Record<string, (day: string) => string>> = {
  ArrowUp: (day) => later(day, -1),
  ArrowDown: (day) => later(day, 1),
  ArrowLeft: (day) => later(day, -7),
  ArrowRight: (day) => later(day, 7),
  Home: (day) => `${day.slice(0, 4)}-01-01`,
  End: (day) => `${day.slice(0, 4)}-12-31`,
};

/**
 * A year of days as squares, a week in each column: the stronger the colour, the more a day holds.
 */
export function Heat({ year, days, from, to, chosen, onChoose }: HeatProps) {
  const t = usePlacesText();
  const language = useLanguage();
  const grid = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState("");
  const weeks = weeksOf(year);
  const full = fullness([...days.values()].map((day) => day.passages));
  const words = (day: string): string =>
    t.timeline.square(
      dayAndWeekday(day, language),
      days.get(day)?.passages ?? 0,
      days.get(day)?.statements ?? 0,
    );
  // A phone shows some months; those around the chosen day are to be among them.
  useLayoutEffect(() => {
    const box = grid.current?.parentElement;
    const square = grid.current?.querySelector<HTMLElement>('[tabindex="0"]');
    if (box && square) box.scrollLeft = square.offsetLeft - box.clientWidth + 60;
  }, [chosen, year]);
  const walk = (event: KeyboardEvent<HTMLElement>): void => {
    const day = event.target instanceof HTMLElement ? event.target.dataset["day"] : undefined;
    const step = STEPS[event.key];
    if (day === undefined || step === undefined || event.altKey || event.ctrlKey || event.metaKey)
      return;
    event.preventDefault();
    const next = grid.current?.querySelector<HTMLElement>(`[data-day="${step(day)}"]`);
    next?.focus();
  };
  const entry = chosen.startsWith(String(year)) ? chosen : `${year}-12-31`;
  return (
    <div className="heat">
      <div className="heat-scroll">
        <div
          className="heat-grid"
          role="group"
          aria-label={t.timeline.grid(year)}
          ref={grid}
          style={{ gridTemplateColumns: `auto repeat(${weeks.length}, minmax(0, 1fr))` }}
        >
          {weeks.map((week, column) => {
            const first = week.find((day) => day.endsWith("-01"));
            return first === undefined ? null : (
              <span
                key={first}
                className="heat-month"
                style={{ gridColumn: `${column + 2} / span 4`, gridRow: 1 }}
                aria-hidden="true"
              >
                {monthName(first, language)}
              </span>
            );
          })}
          {[0, 2, 4, 6].map((row) => (
            <span
              key={row}
              className="heat-weekday"
              style={{ gridColumn: 1, gridRow: row + 2 }}
              aria-hidden="true"
            >
              {weekdayName(later("2024-01-01", row), language, true)}
            </span>
          ))}
          {weeks.flatMap((week, column) =>
            week.map((day) =>
              day === "" ? null : (
                <button
                  key={day}
                  type="button"
                  className={`heat-day h${strength(days.get(day)?.passages ?? 0, full)}`}
                  style={{ gridColumn: column + 2, gridRow: weekday(day) + 2 }}
                  data-day={day}
                  data-in={day >= from && day <= to}
                  tabIndex={day === entry ? 0 : -1}
                  aria-label={words(day)}
                  aria-pressed={day === chosen}
                  onClick={() => onChoose(day)}
                  onFocus={() => setAt(day)}
                  onPointerEnter={() => setAt(day)}
                  onKeyDown={walk}
                />
              ),
            ),
          )}
        </div>
      </div>
      <p className="heat-at tiny faint num" aria-hidden="true">
        {at.startsWith(String(year)) ? words(at) : chosen === "" ? "" : words(chosen)}
      </p>
    </div>
  );
}

/** What the five colours mean. */
export function HeatKey() {
  const t = usePlacesText();
  return (
    <span className="heat-key tiny faint" aria-hidden="true">
      {t.timeline.less}
      {[0, 1, 2, 3, 4].map((step) => (
        <i key={step} className={`heat-day h${step}`} />
      ))}
      {t.timeline.moreOf}
    </span>
  );
}
