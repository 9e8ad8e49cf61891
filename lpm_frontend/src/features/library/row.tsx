"use client";
import { Folder, LockKeyhole, Tag } from "lucide-react";
import Link from "next/link";
import { memo, useState, type MouseEvent } from "react";
import { isRunning, useRetryJob } from "@/lib/api/jobs";
import { pictureHref } from "@/lib/api/documents";
import type { Document, Job } from "@/lib/api/types";
import { formatBytes, formatDate, useLanguage, useText } from "@/lib/i18n";
import { plain } from "@/lib/plain";
import { sentencesOfProblem } from "@/lib/problem";
import { documentIcon } from "@/ui/evidence";
import { Icon } from "@/ui/icon";
import { Meter } from "@/ui/meter";

/** What state a document is in, as a word; while it is read, how far. */
function State({ document, job }: { document: Document; job: Job | undefined }) {
  const text = useText();
  const language = useLanguage();
  if (document.goes_at)
    return (
      <span className="state">{text.shelves.goes(formatDate(document.goes_at, language))}</span>
    );
  if (document.state === "received" && job?.state === "running") {
    const word = text.library.progress(
      text.jobs.steps[job.step] ?? text.library.states.reading,
      Math.round(job.progress * 100),
    );
    return (
      <span className="state">
        {word}
        <Meter value={job.progress} label={`${document.title}: ${word}`} />
      </span>
    );
  }
  return <span className={`state ${document.state}`}>{text.library.states[document.state]}</span>;
}

const Private = () => {
  const text = useText();
  return (
    <span className="chip">
      <Icon of={LockKeyhole} />
      {text.evidence.private}
    </span>
  );
};

export interface EntryProps {
  document: Document;
  index: number;
  job: Job | undefined;
  current: boolean;
  chosen: boolean;
  /** With Shift, everything from the last one on. */
  onChoose: (index: number, id: string, on: boolean) => void;
}

const hrefOf = (document: Document): string => `/library?id=${encodeURIComponent(document.id)}`;

function Box({
  document,
  index,
  chosen,
  onChoose,
}: Pick<EntryProps, "document" | "index" | "chosen" | "onChoose">) {
  const text = useText();
  return (
    <input
      type="checkbox"
      aria-label={text.shelves.choose(document.title)}
      checked={chosen}
      onChange={() => undefined}
      onClick={(event: MouseEvent<HTMLInputElement>) =>
        onChoose(index, document.id, event.shiftKey)
      }
    />
  );
}

/** A failure as a sentence, with what one can do. */
function Why({ document }: { document: Document }) {
  const text = useText();
  const retry = useRetryJob();
  if (document.state !== "failed" || !document.error) return null;
  const { detail, hint } = sentencesOfProblem(document.error, text);
  const job = document.job;
  return (
    <span className="why-not">
      <span className="clip" title={`${detail} ${hint}`}>
        {detail} {hint}
      </span>
      {job ? (
        <button
          type="button"
          className="link"
          disabled={retry.isPending}
          onClick={() => retry.mutate(job)}
        >
          {text.library.retry}
        </button>
      ) : null}
    </span>
  );
}

/**
 * One line of the table. All are of one height, so that a long list can be scrolled without being
 * on the page.
 */
export const Row = memo(function Row({
  document,
  index,
  job,
  current,
  chosen,
  onChoose,
}: EntryProps) {
  const text = useText();
  const language = useLanguage();
  const folder = document.folder ?? "";
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={chosen}
      aria-current={current ? "true" : undefined}
      className={chosen ? "doc chosen" : "doc"}
      data-index={index}
    >
      <span role="cell" className="box">
        <Box document={document} index={index} chosen={chosen} onChoose={onChoose} />
      </span>
      <span role="cell" className="doc-title">
        <Icon of={documentIcon(document.kind)} />
        <span className="doc-words">
          <span className="doc-line">
            <Link className="clip" href={hrefOf(document)} replace={current}>
              {document.title}
            </Link>
            {document.private ? <Private /> : null}
          </span>
          {document.state === "failed" ? (
            <Why document={document} />
          ) : folder === "" && document.tags.length === 0 ? null : (
            <span className="doc-about">
              {folder === "" ? null : (
                <span>
                  <Icon of={Folder} />
                  <span className="clip">{folder}</span>
                </span>
              )}
              {document.tags.length === 0 ? null : (
                <span>
                  <Icon of={Tag} />
                  <span className="clip">{document.tags.join(" · ")}</span>
                </span>
              )}
            </span>
          )}
        </span>
      </span>
      <span role="cell" className="cell what">
        {text.library.kinds[document.kind]}
      </span>
      <span role="cell" className="cell size">
        {formatBytes(document.bytes, language)}
      </span>
      <span role="cell" className="cell date">
        {document.created_at ? formatDate(document.created_at, language) : "–"}
      </span>
      <span role="cell" className="cell added">
        {formatDate(document.added_at, language)}
      </span>
      <span role="cell" className="cell how">
        <State document={document} job={job} />
      </span>
    </div>
  );
});

/** One card: a picture of it where there is one, else its own best sentence. */
export const Card = memo(function Card({
  document,
  index,
  job,
  current,
  chosen,
  onChoose,
}: EntryProps) {
  const text = useText();
  const language = useLanguage();
  const [undrawn, setUndrawn] = useState(false);
  const pictured =
    (document.kind === "pdf" || document.kind === "image") &&
    document.state === "ready" &&
    !document.deleted_at &&
    !undrawn;
  const sentence = plain(document.summary[0]?.text ?? "");
  return (
    <div
      role="listitem"
      aria-current={current ? "true" : undefined}
      className={chosen ? "bookcard chosen" : "bookcard"}
      data-index={index}
      aria-setsize={-1}
      aria-posinset={index + 1}
    >
      <div className="bookcard-face">
        {pictured ? (
          <img
            src={pictureHref(document.id, 1, 320)}
            alt=""
            loading="lazy"
            decoding="async"
            onError={() => setUndrawn(true)}
          />
        ) : sentence === "" ? (
          <span className="bookcard-kind">
            <Icon of={documentIcon(document.kind)} />
          </span>
        ) : (
          <p className="own bookcard-said">{sentence}</p>
        )}
      </div>
      <Link className="bookcard-title" href={hrefOf(document)} replace={current}>
        {document.title}
      </Link>
      <p className="tiny faint bookcard-facts">
        <Icon of={documentIcon(document.kind)} />
        <span className="clip">
          {[
            text.library.kinds[document.kind],
            formatDate(document.created_at ?? document.added_at, language),
          ].join(" · ")}
        </span>
        {document.private ? <Icon of={LockKeyhole} /> : null}
        {document.state === "ready" && !document.goes_at ? null : (
          <State document={document} job={job} />
        )}
      </p>
      <span className="bookcard-box">
        <Box document={document} index={index} chosen={chosen} onChoose={onChoose} />
      </span>
    </div>
  );
});

/** The jobs that run now, by their document. */
export const runningBy = (jobs: readonly Job[]): ReadonlyMap<string, Job> =>
  new Map(
    jobs.filter((job) => isRunning(job) && job.document).map((job) => [job.document ?? "", job]),
  );
