"use client";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { useLearn, useLog, useProgress, useStopTraining } from "@/lib/api/training";
import type { Course, Training } from "@/lib/api/types";
import { formatBytes, useLanguage, useText } from "@/lib/i18n";
import { useTrainingText } from "@/lib/i18n/training";
import { sentencesOfProblem } from "@/lib/problem";
import { Button } from "@/ui/button";
import { Failed, Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { Delete } from "./deleting";
import { Loss } from "./loss";
import { FigureList } from "./page";
import { Pairs } from "./pairs";
import { KINDS, Rows } from "./rows";
import { SettingsRead } from "./settings";
import { STAGES, stageOf } from "./stages";
import { duration, numberIn, tookIn } from "./time";
import { trainingHref } from "./views";
import { sentBy } from "./words";

/**
 * During, and after: the stages, the loss, the same questions before and now, and what one can do.
 */
export function CourseOf({
  run,
  defaults,
}: {
  run: Training;
  defaults: Readonly<Record<string, unknown>>;
}) {
  const t = useTrainingText();
  const query = useProgress(run);
  const course = query.data;
  return (
    <div className="training-step">
      <CourseHead run={run} course={course} />
      <Stages run={run} course={course} />
      {course ? (
        <>
          <Loss steps={course.steps} of={course.of} />
          <Samples course={course} />
        </>
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={t.place.loading} lines={5} />
      )}
      <Rows run={run} />
      <Pairs run={run} />
      <SettingsRead defaults={defaults} settings={run.settings} />
      <Log run={run} />
    </div>
  );
}

/** In one sentence how it stands, with the one thing to do about it. */
function CourseHead({ run, course }: { run: Training; course: Course | undefined }) {
  const text = useText();
  const t = useTrainingText();
  const router = useRouter();
  const stop = useStopTraining();
  const learn = useLearn();
  if (run.state === "ready") {
    return (
      <>
        <h2 className="training-title num">{t.during.done(run.number)}</h2>
        <div className="row wrap">
          <Link className="btn ink big" href={trainingHref("scorecard", run.id)}>
            {t.during.see}
          </Link>
          <Link className="btn quiet big" href={trainingHref("now")}>
            {t.during.another}
          </Link>
        </div>
      </>
    );
  }
  if (run.state === "stopped") {
    const problem = run.error ? sentencesOfProblem(run.error, text) : null;
    return (
      <>
        <h2 className="training-title num">{t.during.stopped(run.number)}</h2>
        <p className="training-lead num">
          {course && course.step > 0
            ? t.during.stoppedAt(course.step, course.of)
            : t.during.stoppedEarly}
        </p>
        {problem ? (
          <Failed title={problem.title} detail={problem.detail} hint={problem.hint} />
        ) : null}
        <div className="row wrap">
          <Button
            tone="ink"
            size="big"
            disabled={learn.isPending}
            onClick={() => learn.mutate(run.id)}
          >
            {t.during.goOn}
          </Button>
          <Delete
            run={run}
            word={t.ready.discard}
            size="big"
            onDeleted={() => router.replace(trainingHref("now"))}
          />
        </div>
        {learn.isError ? <Trouble error={learn.error} /> : null}
      </>
    );
  }
  const left = course?.seconds_left ?? null;
  return (
    <>
      <h2 className="training-title">{t.during.title}</h2>
      <p className="training-lead num">
        {run.job?.state === "queued"
          ? `${t.during.queued}. `
          : left === null
            ? ""
            : `${t.during.left(duration(left, t))} `}
        {t.during.goes}
      </p>
      <div className="row wrap">
        <Button disabled={stop.isPending} onClick={() => stop.mutate(run.id)}>
          {t.during.cancel}
        </Button>
      </div>
      {stop.isError ? <Trouble error={stop.error} /> : null}
    </>
  );
}

function Stages({ run, course }: { run: Training; course: Course | undefined }) {
  const t = useTrainingText();
  const current = stageOf(run);
  const at = current === null ? STAGES.length : STAGES.indexOf(current);
  const learned = course && course.of > 0 ? course.step / course.of : 0;
  return (
    <ol className="stages" aria-label={t.during.stages}>
      {STAGES.map((stage, place) => {
        const here = place === at;
        const share = place < at ? 1 : here && stage === "learning" ? learned : here ? 0.5 : 0;
        return (
          <li
            key={stage}
            className={here ? "here" : place < at ? "passed" : undefined}
            aria-current={here ? "step" : undefined}
          >
            <span className="stage-line" aria-hidden="true">
              <i style={{ width: `${String(Math.round(share * 100))}%` }} />
            </span>
            <span className="num">
              {here && stage === "learning" && course && course.step > 0
                ? t.during.stepOf(course.step, course.of)
                : t.during.stage[stage]}
            </span>
            <span className="sr">
              {here ? t.during.current : place < at ? t.during.passed : ""}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/**
 * What the program that learns writes, for who looks into a fault; it stays at its end while that
 * is in sight.
 */
function Log({ run }: { run: Training }) {
  const t = useTrainingText();
  const [shown, setShown] = useState(false);
  const query = useLog(run, shown);
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const words = query.data?.text ?? "";
  useEffect(() => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [words]);
  const look = (place: HTMLDivElement): void => {
    atEnd.current = place.scrollHeight - place.scrollTop - place.clientHeight < 40;
  };
  return (
    <details className="depth" onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>{t.log.title}</summary>
      {!shown ? null : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading words={t.place.loading} lines={3} />
      ) : words === "" ? (
        <p className="mute">{t.log.none}</p>
      ) : (
        <div
          ref={box}
          className="training-log"
          // What scrolls takes the focus, so that the arrow keys move it.
          // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          role="region"
          aria-label={t.log.title}
          onScroll={(event) => look(event.currentTarget)}
        >
          {words}
        </div>
      )}
    </details>
  );
}

/** The same questions before and now. */
function Samples({ course }: { course: Course }) {
  const t = useTrainingText();
  if (course.samples.length === 0) return null;
  const step = Math.max(...course.samples.map((sample) => sample.step));
  return (
    <section className="samples" aria-label={t.samples.title}>
      <h3 className="part">{t.samples.title}</h3>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.samples.question}</th>
            <th scope="col">{t.samples.before}</th>
            <th scope="col" className="num">
              {t.samples.now(step)}
            </th>
          </tr>
        </thead>
        <tbody>
          {course.samples.map((sample) => (
            <tr key={sample.question}>
              <th scope="row" className="own">
                {sample.question}
              </th>
              <td className="mute src-words" data-label={t.samples.before}>
                {sample.before}
              </td>
              <td className="src-words" data-label={t.samples.now(sample.step)}>
                {sample.now}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/**
 * Beside it: what it learns from, what was left out and why, what was promised and what it took.
 */
export function CourseFacts({ run }: { run: Training }) {
  const t = useTrainingText();
  const language = useLanguage();
  const rows = [...KINDS, "held_out"].filter((kind) => (run.rows[kind] ?? 0) > 0);
  const said = run.estimate ? duration(numberIn(run.estimate, "seconds"), t) : "";
  const took = run.outcome ? duration(tookIn(run.outcome), t) : "";
  const peak = numberIn(run.outcome, "peak_bytes") || numberIn(run.estimate, "peak_bytes");
  return (
    <>
      <FigureList
        title={t.facts.learns}
        rows={[
          [t.facts.memories, run.memories.toLocaleString()] as const,
          ...rows.map(
            (kind) =>
              [t.names.kinds[kind] ?? kind, (run.rows[kind] ?? 0).toLocaleString()] as const,
          ),
        ]}
      />
      <FigureList
        title={t.facts.leftOut}
        rows={Object.entries(run.left_out).map(
          ([why, count]) => [t.names.leftOut[why] ?? why, count.toLocaleString()] as const,
        )}
      />
      <FigureList
        title={t.facts.promised}
        rows={[
          ...(said === ""
            ? []
            : [
                [
                  t.facts.time,
                  took === "" ? t.facts.saidTime(said) : t.facts.took(said, took),
                ] as const,
              ]),
          ...(peak === 0 ? [] : [[t.facts.memory, formatBytes(peak, language)] as const]),
          [
            t.facts.sent,
            <span key="sent" className={sentBy(run, t) === null ? "stayed" : undefined}>
              {sentBy(run, t) ?? t.facts.nothing}
            </span>,
          ] as const,
        ]}
      />
      <p className="small">
        <Link className="link" href={trainingHref("inside", run.id)}>
          {t.place.view.inside}
        </Link>
      </p>
    </>
  );
}
