"use client";
import Link from "next/link";
import type { ReactNode } from "react";
import type { Training } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { useTrainingText } from "@/lib/i18n/training";
import { useMedia, WIDE } from "@/lib/media";
import { Bar } from "@/ui/bar";
import { Empty } from "@/ui/faces";
import { Views } from "@/ui/views";
import { trainingHref, VIEWS, type View } from "./views";

interface PlaceProps {
  view: View;
  children: ReactNode;
  /** What stands in the margin; under the page where there is no room for one. */
  beside?: ReactNode;
}

/** The page that every way to look at trainings stands on. */
export function TrainingPage({ view, children, beside = null }: PlaceProps) {
  const text = useText();
  const t = useTrainingText();
  const wide = useMedia(WIDE);
  return (
    <>
      <Bar title={text.places.training}>
        <Views
          label={t.place.views}
          views={VIEWS}
          current={view}
          words={t.place.view}
          href={trainingHref}
        />
      </Bar>
      <div className="cols">
        <div className="main training">
          {children}
          {wide || beside === null ? null : <div className="training-beside">{beside}</div>}
        </div>
        {wide ? (
          <aside className="margin training-beside" aria-label={t.facts.label}>
            {beside}
          </aside>
        ) : null}
      </div>
    </>
  );
}

/** Nothing was trained yet: what training does, and where it begins. */
export function NoTraining() {
  const t = useTrainingText();
  return (
    <Empty title={t.place.none}>
      <p className="mute">{t.place.noneHint}</p>
      <Link className="btn" href={trainingHref("now")}>
        {t.place.begin}
      </Link>
    </Empty>
  );
}

/** The training that an address names is not there. */
export function LostTraining() {
  const t = useTrainingText();
  return (
    <Empty title={t.place.lost}>
      <p className="mute">{t.place.lostHint}</p>
      <Link className="link" href={trainingHref("versions")}>
        {t.place.all}
      </Link>
    </Empty>
  );
}

/** One of several trainings, chosen by its number. */
export function Which({
  runs,
  current,
  view,
}: {
  runs: readonly Training[];
  current: string;
  view: View;
}) {
  const t = useTrainingText();
  if (runs.length < 2) return null;
  return (
    <nav className="which" aria-label={t.place.list}>
      {runs.map((run) => (
        <Link
          key={run.id}
          className="num"
          href={trainingHref(view, run.id)}
          replace
          aria-current={run.id === current ? "true" : undefined}
        >
          {t.place.one(run.number)}
        </Link>
      ))}
    </nav>
  );
}

/** Names with figures beside them, under a heading. */
export function FigureList({
  title,
  rows,
}: {
  title: string;
  rows: readonly (readonly [string, ReactNode])[];
}) {
  if (rows.length === 0) return null;
  return (
    <section className="figure-list">
      <h2 className="label">{title}</h2>
      <dl>
        {rows.map(([name, figure]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="num">{figure}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
