"use client";
import Link from "next/link";
import { useState } from "react";
import { useTrainings, useTrainingState, useWrongAnswers } from "@/lib/api/training";
import type { Scorecard, Training } from "@/lib/api/types";
import { formatDate, listed, useLanguage } from "@/lib/i18n";
import { useTrainingText } from "@/lib/i18n/training";
import { Empty, Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { Arms } from "./arms";
import { AskFourWays } from "./asking";
import {
  finalArm,
  measured,
  MEASURES,
  percent,
  placeOf,
  questionsOf,
  type Measured,
} from "./measures";
import { LostTraining, NoTraining, TrainingPage, Which } from "./page";
import { GoBackButton, UseButton } from "./using";
import { isKept, trainingHref } from "./views";

/**
 * What a training changed: a verdict in a sentence, each measure before and after, and the choice
 * to use it.
 */
export function ScorecardView({ id }: { id: string }) {
  const t = useTrainingText();
  const query = useTrainings();
  if (!query.data)
    return (
      <TrainingPage view="scorecard">
        {query.isError ? (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Loading words={t.card.loading} lines={7} />
        )}
      </TrainingPage>
    );
  const runs = query.data.items;
  const run =
    id === ""
      ? (runs.find((each) => each.scorecard !== null) ?? runs[0])
      : runs.find((each) => each.id === id);
  if (!run)
    return (
      <TrainingPage view="scorecard">{id === "" ? <NoTraining /> : <LostTraining />}</TrainingPage>
    );
  const which = (
    <Which
      runs={runs.filter((each) => each.scorecard !== null || each === run)}
      current={run.id}
      view="scorecard"
    />
  );
  if (!run.scorecard) {
    return (
      <TrainingPage view="scorecard">
        {which}
        <Empty title={t.card.none(run.number)}>
          <p className="mute">{t.card.noneHint}</p>
          <Link className="btn" href={trainingHref("now", run.id)}>
            {t.place.view.now}
          </Link>
        </Empty>
      </TrainingPage>
    );
  }
  return (
    <TrainingPage
      view="scorecard"
      beside={
        run.state === "ready" ? (
          <StillWrong key={run.id} id={run.id} arm={finalArm(run.scorecard.arms)} />
        ) : null
      }
    >
      {which}
      <Card key={run.id} run={run} card={run.scorecard} runs={runs} />
    </TrainingPage>
  );
}

function Card({ run, card, runs }: { run: Training; card: Scorecard; runs: readonly Training[] }) {
  const t = useTrainingText();
  const language = useLanguage();
  const state = useTrainingState().data;
  const numberOf = (id: string | null): number | undefined =>
    runs.find((each) => each.id === id)?.number;
  const named = (number: number | undefined): string =>
    number === undefined ? t.card.base : t.card.training(number);
  const { better, reasons } = card.verdict;
  const worse = reasons
    .map((name) => MEASURES.find((each) => each === name))
    .flatMap((each) => (each ? [t.card.names[each]] : []));
  const inUse = numberOf(state?.in_use ?? null);
  return (
    <div className="training-step">
      <div className="verdict-head">
        <div>
          <h2 className="training-title">
            {better
              ? t.card.better
              : reasons.length > 0
                ? t.card.worse(listed(worse, language))
                : t.card.notMore}
          </h2>
          <p className="training-lead num">
            {t.card.asked(questionsOf(card), named(numberOf(card.against)))}
            {better || run.in_use ? "" : ` ${t.card.keep(named(inUse))}`}
          </p>
        </div>
        <div className="verdict-acts">
          {run.in_use ? (
            <>
              <p className="small stayed">
                {t.card.inUse(formatDate(state?.since ?? run.created_at, language))}
              </p>
              {state?.insisted ? <p className="tiny mute">{t.card.inUseAnyway}</p> : null}
              <GoBackButton run={run} />
            </>
          ) : run.state === "ready" ? (
            <UseButton run={run} card={card} />
          ) : null}
        </div>
      </div>
      <Measures rows={measured(card)} />
      <Arms run={run} card={card} />
      {run.state === "ready" ? <AskFourWays run={run} /> : null}
    </div>
  );
}

/**
 * Each measure as a dumbbell from before to after, with the interval of the latter and where
 * guessing would be; the same in figures and in a word.
 */
function Measures({ rows }: { rows: readonly Measured[] }) {
  const t = useTrainingText();
  return (
    <table className="measures" aria-label={t.card.table}>
      <thead>
        <tr>
          <th scope="col">{t.card.measure}</th>
          <th scope="col">{t.card.before}</th>
          <td aria-hidden="true" />
          <th scope="col">{t.card.after}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {rows.map(({ measure, before, after, change, chance }) => (
          <tr key={measure} data-change={change}>
            <th scope="row">
              <span>{t.card.names[measure]}</span>
              <span className="tiny faint">{t.card.hints[measure]}</span>
            </th>
            <td className="num mute">{before ? percent(before.value) : ""}</td>
            <td className="dumbbell" aria-hidden="true">
              <span className="bell">
                {chance === null ? null : (
                  <i className="chance" style={{ left: `${String(placeOf(chance))}%` }} />
                )}
                <i
                  className="span"
                  style={{
                    left: `${String(placeOf(after.low))}%`,
                    width: `${String(placeOf(after.high) - placeOf(after.low))}%`,
                  }}
                />
                {before ? (
                  <i
                    className="bond"
                    style={{
                      left: `${String(Math.min(placeOf(before.value), placeOf(after.value)))}%`,
                      width: `${String(Math.abs(placeOf(before.value) - placeOf(after.value)))}%`,
                    }}
                  />
                ) : null}
                {before ? (
                  <i className="from" style={{ left: `${String(placeOf(before.value))}%` }} />
                ) : null}
                <i className="to" style={{ left: `${String(placeOf(after.value))}%` }} />
              </span>
            </td>
            <td className="num">
              <b>{percent(after.value)}</b>
              <span className="tiny faint">
                {t.card.interval(percent(after.low), percent(after.high))}
              </span>
            </td>
            <td className="change">
              <span>{t.card.change[change]}</span>
              <span className="tiny faint num">{t.card.questions(after.n)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const FIRST = 5;

/** What it still gets wrong, from its weights alone. */
function StillWrong({ id, arm }: { id: string; arm: "sft" | "sft_dpo" }) {
  const t = useTrainingText();
  const query = useWrongAnswers(id, arm);
  const [all, setAll] = useState(false);
  const wrong = query.data?.items ?? [];
  return (
    <section className="still-wrong">
      <h2 className="label">{t.wrong.title}</h2>
      {query.isError && !query.data ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading words={t.wrong.loading} />
      ) : wrong.length === 0 ? (
        <p className="small mute">{t.wrong.none}</p>
      ) : (
        <ul>
          {(all ? wrong : wrong.slice(0, FIRST)).map((each, at) => (
            // The same question may be asked for two measures.
            <li key={`${each.measure} ${each.question} ${String(at)}`}>
              <p className="own">{each.question}</p>
              <p className="small">
                <span className="faint">{t.wrong.said}</span>{" "}
                <span className="own">{each.answer}</span>
              </p>
              {each.expected === "" ? null : (
                <p className="small">
                  <span className="faint">{t.wrong.right}</span>{" "}
                  <span className="own">{each.expected}</span>
                </p>
              )}
              {each.memory === null || !isKept(each.memory) ? null : (
                <Link
                  className="link tiny"
                  href={`/memory?view=today&id=${encodeURIComponent(each.memory)}`}
                >
                  {t.wrong.memory}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
      {wrong.length > FIRST && !all ? (
        <button type="button" className="link small num" onClick={() => setAll(true)}>
          {t.wrong.all(wrong.length)}
        </button>
      ) : null}
      <p className="small">
        <Link className="link" href={trainingHref("inside", id)}>
          {t.place.view.inside}
        </Link>
      </p>
    </section>
  );
}
