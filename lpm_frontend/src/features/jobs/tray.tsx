"use client";
import { CircleAlert, CircleCheck, LoaderCircle } from "lucide-react";
import { useCallback, useId, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { useDocuments, refreshLibrary } from "@/lib/api/documents";
import {
  isRunning,
  useCancelJob,
  useJobs,
  useRetryAll,
  useRetryJob,
  useWhenWorkEnds,
} from "@/lib/api/jobs";
import type { Job } from "@/lib/api/types";
import { formatTime, useLanguage, useText, type Text } from "@/lib/i18n";
import { sentencesOfProblem } from "@/lib/problem";
import { jobOutcome } from "@/lib/said";
import { timeLeft, type Sight } from "@/lib/time-left";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Icon } from "@/ui/icon";
import { Meter } from "@/ui/meter";

const DAY_MS = 86_400_000;
const endedLately = (job: Job, now: number): boolean =>
  job.ended_at !== null && now - Date.parse(job.ended_at) < DAY_MS;

/**
 * Whether nothing was tried since for the same document, or of the same kind. Jobs come newest
 * first.
 */
const isNewest = (job: Job, jobs: readonly Job[]): boolean =>
  jobs.find((other) => other.kind === job.kind && other.document === job.document) === job;

/** A job as a sentence. */
function sentence(job: Job, title: string, text: Text): string {
  const work = job.kind === "ingest" ? null : (text.jobs.kinds[job.kind] ?? job.kind);
  switch (job.state) {
    case "queued":
    case "running":
      return work ?? text.jobs.reading(title);
    case "succeeded":
      return work === null ? text.jobs.done(title) : text.jobs.ended.succeeded(work);
    case "failed":
      return work === null ? text.jobs.failed(title) : text.jobs.ended.failed(work);
    case "cancelled":
      return work === null ? text.jobs.cancelled(title) : text.jobs.ended.cancelled(work);
  }
}

/** The titles of the documents that jobs are about. */
function useTitles(): (job: Job) => string {
  const text = useText();
  const pages = useDocuments().data?.pages ?? [];
  const titles = new Map(
    pages.flatMap((page) => page.items).map((document) => [document.id, document.title]),
  );
  return (job) => titles.get(job.document ?? "") ?? text.jobs.untitled;
}

/** What runs now, at the foot of the spine; opens the list with what one can do. */
export function Tray() {
  const text = useText();
  const jobs = useJobs().data?.items ?? [];
  const titleOf = useTitles();
  const [open, setOpen] = useState(false);
  const [now, setNow] = useState(() => Date.now());
  const running = jobs.filter(isRunning);
  const lately = jobs.filter((job) => isRunning(job) || endedLately(job, now));
  // What ended may have changed the library.
  const cache = useQueryClient();
  useWhenWorkEnds(useCallback(() => refreshLibrary(cache), [cache]));
  const [first] = running.toSorted((a, b) => b.progress - a.progress);
  const whole =
    running.length === 0 ? 0 : running.reduce((sum, job) => sum + job.progress, 0) / running.length;
  const line =
    first && running.length === 1
      ? sentence(first, titleOf(first), text)
      : running.every((job) => job.kind === "ingest")
        ? text.jobs.working(running.length)
        : text.jobs.busy(running.length);
  const failed = lately.filter((job) => job.state === "failed" && isNewest(job, jobs)).length;
  const retryAll = useRetryAll();
  return (
    <>
      {lately.length > 0 ? (
        <div className="tray">
          <button
            type="button"
            className="foot-line tray-open"
            title={text.jobs.open}
            onClick={() => {
              setNow(Date.now());
              setOpen(true);
            }}
          >
            {running.length > 0 ? (
              <Icon of={LoaderCircle} className="turning" />
            ) : (
              <Icon of={failed > 0 ? CircleAlert : CircleCheck} />
            )}
            <span className="clip">
              {running.length > 0
                ? line
                : failed > 0
                  ? text.jobs.failedNow(failed)
                  : text.tray.lately(lately.length)}
            </span>
          </button>
          {running.length > 0 ? <Meter value={whole} label={line} /> : null}
        </div>
      ) : null}
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={text.jobs.title}
        closeLabel={text.frame.close}
        shape="sheet"
      >
        {failed > 0 ? (
          <p className="row wrap small">
            <span>{text.jobs.failedNow(failed)}</span>
            <Button
              size="small"
              tone="quiet"
              disabled={retryAll.isPending}
              onClick={() => retryAll.mutate()}
            >
              {text.jobs.retryAll}
            </Button>
          </p>
        ) : null}
        {running.length === 0 ? <p className="mute">{text.jobs.none}</p> : null}
        <JobList name={text.jobs.running} jobs={running} titleOf={titleOf} />
        <JobList
          name={text.jobs.lately}
          jobs={lately.filter((job) => !isRunning(job))}
          titleOf={titleOf}
        />
      </Dialog>
    </>
  );
}

/** Jobs under their heading; nothing where there are none. */
function JobList({
  name,
  jobs,
  titleOf,
}: {
  name: string;
  jobs: readonly Job[];
  titleOf: (job: Job) => string;
}) {
  const heading = useId();
  if (jobs.length === 0) return null;
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading} className="label">
        {name}
      </h3>
      <ul className="joblist">
        {jobs.map((job) => (
          <JobLine key={job.id} job={job} title={titleOf(job)} />
        ))}
      </ul>
    </section>
  );
}

/** Where each job was when it was first seen, for saying how long it takes still. */
const firstSeen = new Map<string, Sight>();

function useTimeLeft(job: Job): string {
  const text = useText();
  const { dataUpdatedAt } = useJobs();
  const now: Sight = { at: dataUpdatedAt, share: job.progress };
  if (job.state === "running" && !firstSeen.has(job.id)) firstSeen.set(job.id, now);
  const left = job.state === "running" ? timeLeft(firstSeen.get(job.id), now) : null;
  return left === null ? "" : text.tray.left(Math.ceil(left / 1_000));
}

function JobLine({ job, title }: { job: Job; title: string }) {
  const text = useText();
  const language = useLanguage();
  const left = useTimeLeft(job);
  const outcome = job.state === "succeeded" ? jobOutcome(job, text) : "";
  const cancel = useCancelJob();
  const retry = useRetryJob();
  const said = sentence(job, title, text);
  const again = job.state === "failed" || job.state === "cancelled";
  const problem = job.error ? sentencesOfProblem(job.error, text) : null;
  return (
    <li className={job.ended_at === null || again ? "job" : "job brief"}>
      <p className="said">{said}</p>
      {isRunning(job) ? <Meter value={job.progress} label={said} /> : null}
      {outcome === "" ? null : <p className="tiny mute num">{outcome}</p>}
      {problem ? (
        <p className="tiny mute">
          {problem.detail} {problem.hint}
        </p>
      ) : null}
      <div className="acts">
        {isRunning(job) ? (
          <Button
            size="small"
            tone="quiet"
            disabled={cancel.isPending}
            onClick={() => cancel.mutate(job.id)}
          >
            {text.jobs.cancel}
          </Button>
        ) : null}
        {again ? (
          <Button
            size="small"
            tone="quiet"
            disabled={retry.isPending}
            onClick={() => retry.mutate(job.id)}
          >
            {text.jobs.retry}
          </Button>
        ) : null}
        {job.state === "queued" ? (
          <span className="tiny faint push">{text.jobs.waiting}</span>
        ) : null}
        {job.state === "running" ? (
          <span className="tiny faint num push">
            {text.library.progress(
              text.jobs.steps[job.step] ?? job.step,
              Math.round(job.progress * 100),
            )}
            {left === "" ? null : ` · ${left}`}
          </span>
        ) : null}
        {job.ended_at === null ? null : (
          <time className="tiny faint num push" dateTime={job.ended_at}>
            {formatTime(job.ended_at, language)}
          </time>
        )}
      </div>
    </li>
  );
}
