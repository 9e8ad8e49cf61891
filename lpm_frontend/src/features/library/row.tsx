"use client";
import { LockKeyhole } from "lucide-react";
import Link from "next/link";
import { isRunning, useRetryJob } from "@/lib/api/jobs";
import type { Document, Job } from "@/lib/api/types";
import { formatBytes, formatDate, useLanguage, useText } from "@/lib/i18n";
import { sentencesOfProblem } from "@/lib/problem";
import { documentIcon } from "@/ui/evidence";
import { Icon } from "@/ui/icon";
import { Meter } from "@/ui/meter";

/** What state a document is in, as a word; while it is read, how far. */
function State({ document, job }: { document: Document; job: Job | undefined }) {
  const text = useText();
  if (document.state === "received" && job?.state === "running") {
    const word = text.library.progress(text.jobs.steps[job.step] ?? text.library.states.reading, Math.round(job.progress * 100));
    return (
      <span className="state">
        {word}
        <Meter value={job.progress} label={`${document.title}: ${word}`} />
      </span>
    );
  }
  return <span className={`state ${document.state}`}>{text.library.states[document.state]}</span>;
}

export function Row({ document, jobs, current }: { document: Document; jobs: readonly Job[]; current: boolean }) {
  const text = useText();
  const language = useLanguage();
  const retry = useRetryJob();
  const mine = jobs.filter((job) => job.document === document.id);
  const running = mine.find(isRunning);
  const again = mine.find((job) => job.state === "failed" || job.state === "cancelled")?.id ?? document.job;
  const problem = document.state === "failed" && document.error ? sentencesOfProblem(document.error, text) : null;
  return (
    <li className="doc" aria-current={current ? "true" : undefined}>
      <Icon of={documentIcon(document.kind)} />
      <span className="doc-title">
        <Link className="clip" href={`/library?id=${encodeURIComponent(document.id)}`} replace={current}>
          {document.title}
        </Link>
        {document.private ? (
          <span className="chip">
            <Icon of={LockKeyhole} />
            {text.library.sealed}
          </span>
        ) : null}
        <span className="tags">
          {document.tags.map((tag) => (
            <span key={tag} className="chip">
              {tag}
            </span>
          ))}
        </span>
      </span>
      <span className="cell what">{text.library.kinds[document.kind]}</span>
      <span className="cell size">{formatBytes(document.bytes, language)}</span>
      <span className="cell date">{formatDate(document.created_at ?? document.added_at, language)}</span>
      <State document={document} job={running} />
      {problem ? (
        <span className="why-not">
          <span>
            {problem.detail} {problem.hint}
          </span>
          {again ? (
            <button type="button" className="link" disabled={retry.isPending} onClick={() => retry.mutate(again)}>
              {text.library.retry}
            </button>
          ) : null}
        </span>
      ) : null}
    </li>
  );
}
