"use client";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { isAtWork, useTrainings, useTrainingState } from "@/lib/api/training";
import type { Figure, Training } from "@/lib/api/types";
import { formatDate, useLanguage } from "@/lib/i18n";
import { useTrainingText } from "@/lib/i18n/training";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { Delete } from "./deleting";
import { Export } from "./merging";
import { finalArm, MEASURES, percent } from "./measures";
import { NoTraining, TrainingPage } from "./page";
import { GoBackButton, UseButton } from "./using";
import { trainingHref, type TrainingPlaceWish } from "./views";

/**
 * Every training with what came of it: to use, to go back from, to hold two side by side, to
 * delete.
 */
export function Versions({ wish }: { wish: TrainingPlaceWish }) {
  const t = useTrainingText();
  const router = useRouter();
  const query = useTrainings();
  const state = useTrainingState();
  if (!query.data)
    return (
      <TrainingPage view="versions">
        {query.isError ? (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Loading words={t.place.loading} lines={6} />
        )}
      </TrainingPage>
    );
  const runs = query.data.items;
  if (runs.length === 0) {
    return (
      <TrainingPage view="versions">
        <NoTraining />
      </TrainingPage>
    );
  }
  const chosen = [wish.id, wish.beside].filter((id) => runs.some((run) => run.id === id));
  // A third one takes the place of the one that was chosen first.
  const choose = (id: string): void => {
    const next = chosen.includes(id)
      ? chosen.filter((each) => each !== id)
      : [...chosen, id].slice(-2);
    router.replace(trainingHref("versions", next[0] ?? "", next[1] ?? ""), { scroll: false });
  };
  const pair = chosen
    .flatMap((id) => runs.filter((run) => run.id === id))
    .toSorted((a, b) => a.number - b.number);
  const [older, newer] = pair;
  return (
    <TrainingPage view="versions">
      <div className="training-step">
        <h2 className="part">{t.versions.title}</h2>
        {runs.length > 1 ? <p className="small mute">{t.versions.compareHint}</p> : null}
        <ul className="version-list" aria-label={t.place.list}>
          {runs.map((run) => (
            <Version
              key={run.id}
              run={run}
              since={run.in_use ? (state.data?.since ?? null) : null}
              chosen={chosen.includes(run.id)}
              onChoose={() => choose(run.id)}
              several={runs.length > 1}
            />
          ))}
          <li className="version">
            <div className="version-what">
              <b>{t.versions.base}</b>
              {state.data?.in_use === null ? (
                <span className="chip stayed">{t.versions.inUse}</span>
              ) : null}
            </div>
            <p className="small mute">{t.versions.baseHint}</p>
          </li>
        </ul>
        {older && newer ? <Pair older={older} newer={newer} /> : null}
      </div>
    </TrainingPage>
  );
}

interface VersionProps {
  run: Training;
  /** Since when it is in use. */
  since: string | null;
  chosen: boolean;
  several: boolean;
  onChoose: () => void;
}

function Version({ run, since, chosen, several, onChoose }: VersionProps) {
  const t = useTrainingText();
  const language = useLanguage();
  return (
    <li className="version">
      <div className="version-what">
        {several && run.scorecard ? (
          <input
            type="checkbox"
            aria-label={t.versions.compare(run.number)}
            checked={chosen}
            onChange={onChoose}
          />
        ) : null}
        <b className="num">{t.place.one(run.number)}</b>
        {run.in_use ? <span className="chip stayed">{t.versions.inUse}</span> : null}
        <span className="small mute">{t.names.states[run.state]}</span>
        {run.scorecard ? (
          <span className={run.scorecard.verdict.better ? "small stayed" : "small mute"}>
            {run.scorecard.verdict.better ? t.versions.better : t.versions.notBetter}
          </span>
        ) : null}
        <time className="small faint num push" dateTime={run.created_at}>
          {since === null
            ? formatDate(run.created_at, language)
            : t.versions.since(formatDate(since, language))}
        </time>
      </div>
      <div className="version-acts">
        {run.scorecard ? (
          <Link
            className="btn quiet small"
            href={trainingHref("scorecard", run.id)}
            aria-label={`${t.versions.open} · ${t.place.one(run.number)}`}
          >
            {t.versions.open}
          </Link>
        ) : run.state === "tainted" || run.state === "thinned" ? null : (
          <Link
            className="btn quiet small"
            href={trainingHref("now", run.id)}
            aria-label={`${t.place.view.now} · ${t.place.one(run.number)}`}
          >
            {t.place.view.now}
          </Link>
        )}
        <Link
          className="btn quiet small"
          href={trainingHref("inside", run.id)}
          aria-label={`${t.versions.inside} · ${t.place.one(run.number)}`}
        >
          {t.versions.inside}
        </Link>
        {run.in_use ? (
          <GoBackButton run={run} />
        ) : run.state === "ready" && run.scorecard ? (
          <UseButton run={run} card={run.scorecard} brief />
        ) : null}
        {run.in_use || isAtWork(run) ? null : (
          <Delete run={run} word={t.versions.delete} size="small" />
        )}
        {run.state === "ready" ? <Export run={run} /> : null}
      </div>
    </li>
  );
}

const figureOf = ({ scorecard }: Training, measure: string): Figure | undefined =>
  scorecard?.arms[finalArm(scorecard.arms)]?.[measure];

/** Two trainings, measure by measure. */
function Pair({ older, newer }: { older: Training; newer: Training }) {
  const t = useTrainingText();
  const both = [older, newer] as const;
  const figure = (run: Training, measure: string): string => {
    const found = figureOf(run, measure);
    return found && found.n > 0
      ? `${percent(found.value)} (${t.card.interval(percent(found.low), percent(found.high))})`
      : t.versions.notMeasured;
  };
  return (
    <section className="pair" aria-label={t.versions.beside(older.number, newer.number)}>
      <h3 className="part num">{t.versions.beside(older.number, newer.number)}</h3>
      <table className="num">
        <thead>
          <tr>
            <th scope="col">{t.card.measure}</th>
            {both.map((run) => (
              <th key={run.id} scope="col">
                {t.place.one(run.number)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {MEASURES.filter((measure) =>
            both.some((run) => (figureOf(run, measure)?.n ?? 0) > 0),
          ).map((measure) => (
            <tr key={measure}>
              <th scope="row">{t.card.names[measure]}</th>
              {both.map((run) => (
                <td key={run.id}>{figure(run, measure)}</td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row">{t.facts.memories}</th>
            {both.map((run) => (
              <td key={run.id}>{run.memories.toLocaleString()}</td>
            ))}
          </tr>
        </tbody>
      </table>
    </section>
  );
}
