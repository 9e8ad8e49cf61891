"use client";
import Link from "next/link";
import { useGrow, useGrowth, useSetGrowth } from "@/lib/api/training";
import { isRunning } from "@/lib/api/jobs";
import type { Growth, Training } from "@/lib/api/types";
import { weekdayName } from "@/lib/days";
import { formatDate, useLanguage } from "@/lib/i18n";
import { useTrainingText } from "@/lib/i18n/training";
import { Button } from "@/ui/button";
import { Check } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { trainingHref } from "./views";
import { lastWeek, type LastWeek } from "./weeks";

/** Days from Monday on, each with a date that falls on it. */
const DAYS: readonly (readonly [Growth["day"], string])[] = [
  ["monday", "2026-11-23"],
  ["tuesday", "2026-11-24"],
  ["wednesday", "2026-11-25"],
  ["thursday", "2026-11-26"],
  ["friday", "2026-11-27"],
  ["saturday", "2026-11-28"],
  ["sunday", "2026-11-29"],
];

/** What is new is learned by itself: on which day, what came of the last time, and now. */
export function Weekly({ runs }: { runs: readonly Training[] }) {
  const t = useTrainingText();
  const language = useLanguage();
  const growth = useGrowth();
  const set = useSetGrowth();
  const grow = useGrow();
  if (growth.isError) {
    return <Trouble error={growth.error} onRetry={() => void growth.refetch()} />;
  }
  // its place is kept while it is asked for, so that nothing below jumps
  const known = growth.data;
  const next = known?.next_at ?? null;
  const cannot = known?.cannot ?? null;
  const last = known?.last ?? null;
  // what was chosen stands there at once
  const chosen = set.isPending ? set.variables : {};
  const schedule = chosen.schedule ?? known?.schedule ?? "off";
  const day = chosen.day ?? known?.day ?? "sunday";
  const working = last !== null && isRunning(last);
  const ended = known === undefined ? null : lastWeek(known, runs);
  return (
    <section className="training-weekly" aria-labelledby="weekly" aria-busy={!known}>
      <h2 className="part" id="weekly">
        {t.weekly.title}
      </h2>
      <p className="small mute">{t.weekly.lead}</p>
      <div className="row wrap">
        <Check
          label={t.weekly.every}
          checked={schedule === "weekly"}
          onChange={(weekly) => set.mutate({ schedule: weekly ? "weekly" : "off" })}
        />
        <select
          aria-label={t.weekly.day}
          value={day}
          disabled={schedule === "off"}
          onChange={(event) => {
            const named = DAYS.find(([name]) => name === event.target.value);
            if (named) set.mutate({ day: named[0] });
          }}
        >
          {DAYS.map(([name, date]) => (
            <option key={name} value={name}>
              {weekdayName(date, language)}
            </option>
          ))}
        </select>
        <Button
          tone="quiet"
          size="small"
          disabled={!known || working || grow.isPending || cannot !== null}
          aria-describedby={cannot === null ? undefined : "weekly-cannot"}
          onClick={() => grow.mutate(undefined)}
        >
          {working ? t.weekly.working : t.weekly.now}
        </Button>
      </div>
      {set.isError ? <Trouble error={set.error} /> : null}
      {grow.isError ? <Trouble error={grow.error} /> : null}
      <div className="weekly-state small mute">
        {cannot === null || working ? null : <p id="weekly-cannot">{t.weekly.cannot[cannot]}</p>}
        <p role="status">
          {next === null ? "" : t.weekly.next(formatDate(next, language))}
          {last === null || ended === null ? null : (
            <>
              {" "}
              {t.weekly.last(formatDate(last.created_at, language))} <Ended week={ended} />
            </>
          )}
        </p>
      </div>
    </section>
  );
}

/** What came of the last time, in words. */
function Ended({ week }: { week: LastWeek }) {
  const t = useTrainingText();
  switch (week.as) {
    case "skipped":
      return t.weekly.skipped[week.why];
    case "learned":
    case "waits":
      return (
        <Link className="link" href={trainingHref("scorecard", week.run.id)}>
          {week.as === "learned"
            ? t.weekly.learned(week.run.number)
            : t.weekly.waits(week.run.number)}
        </Link>
      );
    case "failed":
      return t.weekly.failed;
    case "cancelled":
      return t.weekly.cancelled;
    case "deleted":
      return t.weekly.deleted;
  }
}
