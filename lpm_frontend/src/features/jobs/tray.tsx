"use client";
import { LoaderCircle } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { useDocuments, refreshLibrary } from "@/lib/api/documents";
import { isRunning, useCancelJob, useJobs, useRetryJob } from "@/lib/api/jobs";
import type { Job } from "@/lib/api/types";
import { useText, type Text } from "@/lib/i18n";
import { sentencesOfProblem } from "@/lib/problem";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Icon } from "@/ui/icon";
import { Meter } from "@/ui/meter";

const DAY_MS = 86_400_000;
const endedLately = (job: Job, now: number): boolean => job.ended_at !== null && now - Date.parse(job.ended_at) < DAY_MS;

/** A job as a sentence. */
function sentence(job: Job, title: string, text: Text): string {
  switch (job.state) {
    case "queued":
    case "running":
      return text.jobs.reading(title);
    case "succeeded":
      return text.jobs.done(title);
    case "failed":
      return text.jobs.failed(title);
    case "cancelled":
      return text.jobs.cancelled(title);
  }
}

/** The titles of the documents that jobs are about. */
function useTitles(): (job: Job) => string {
  const text = useText();
  const pages = useDocuments().data?.pages ?? [];
  const titles = new Map(pages.flatMap((page) => page.items).map((document) => [document.id, document.title]));
  return (job) => titles.get(job.document ?? "") ?? text.jobs.untitled;
}

/** Jobs that ended change the library: ask again as soon as fewer run. */
function useRefreshWhenJobsEnd(running: number): void {
  const cache = useQueryClient();
  const before = useRef(running);
  useEffect(() => {
    if (running < before.current) void refreshLibrary(cache);
    before.current = running;
  }, [cache, running]);
}

/** What runs now, at the foot of the spine; opens the list with what one can do. */
export function Tray() {
  const text = useText();
  const jobs = useJobs().data?.items ?? [];
  const titleOf = useTitles();
  const [open, setOpen] = useState(false);
  const [now, setNow] = useState(0);
  const running = jobs.filter(isRunning);
  const lately = jobs.filter((job) => isRunning(job) || endedLately(job, now));
  useRefreshWhenJobsEnd(running.length);
  const [first] = running.toSorted((a, b) => b.progress - a.progress);
  const whole = running.length === 0 ? 0 : running.reduce((sum, job) => sum + job.progress, 0) / running.length;
  const line = first && running.length === 1 ? text.jobs.reading(titleOf(first)) : text.jobs.working(running.length);
  return (
    <>
      {running.length > 0 ? (
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
            <Icon of={LoaderCircle} className="turning" />
            <span className="clip">{line}</span>
          </button>
          <Meter value={whole} label={line} />
        </div>
      ) : null}
      <Dialog open={open} onClose={() => setOpen(false)} title={text.jobs.title} closeLabel={text.frame.close} shape="sheet">
        {lately.length === 0 ? <p className="mute">{text.jobs.none}</p> : null}
        <ul className="joblist">
          {lately.map((job) => (
            <JobLine key={job.id} job={job} title={titleOf(job)} />
          ))}
        </ul>
      </Dialog>
    </>
  );
}

function JobLine({ job, title }: { job: Job; title: string }) {
  const text = useText();
  const cancel = useCancelJob();
  const retry = useRetryJob();
  const said = sentence(job, title, text);
  const problem = job.error ? sentencesOfProblem(job.error, text) : null;
  return (
    <li className="job">
      <p className="said">{said}</p>
      {isRunning(job) ? <Meter value={job.progress} label={said} /> : null}
      {problem ? (
        <p className="tiny mute">
          {problem.detail} {problem.hint}
        </p>
      ) : null}
      <div className="acts">
        {isRunning(job) ? (
          <Button size="small" tone="quiet" disabled={cancel.isPending} onClick={() => cancel.mutate(job.id)}>
            {text.jobs.cancel}
          </Button>
        ) : null}
        {job.state === "failed" || job.state === "cancelled" ? (
          <Button size="small" tone="quiet" disabled={retry.isPending} onClick={() => retry.mutate(job.id)}>
            {text.jobs.retry}
          </Button>
        ) : null}
        {job.state === "queued" ? <span className="tiny faint push">{text.jobs.waiting}</span> : null}
        {job.state === "running" ? <span className="tiny faint num push">{text.library.progress(text.jobs.steps[job.step] ?? job.step, Math.round(job.progress * 100))}</span> : null}
      </div>
    </li>
  );
}
