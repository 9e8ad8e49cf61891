"use client";
import { Download } from "lucide-react";
import { useState } from "react";
import { isRunning } from "@/lib/api/jobs";
import { mergedHref, useMerge, useRemoveMerged, type MergedKind } from "@/lib/api/training";
import type { Training } from "@/lib/api/types";
import { formatBytes, useLanguage, useText } from "@/lib/i18n";
import { useTrainingText } from "@/lib/i18n/training";
import { sentencesOfProblem } from "@/lib/problem";
import { Button } from "@/ui/button";
import { Failed } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Meter } from "@/ui/meter";
import { useReturn } from "@/ui/return";
import { Trouble } from "@/ui/trouble";

const KINDS: readonly MergedKind[] = ["q8_0", "f16"];

/** A training as a whole model: written by a job, then downloaded. */
export function Export({ run }: { run: Training }) {
  const t = useTrainingText();
  const text = useText();
  const language = useLanguage();
  const merge = useMerge();
  const remove = useRemoveMerged();
  const [open, setOpen] = useState(false);
  const back = useReturn(open);
  const job = run.merging;
  const writing = job !== null && isRunning(job);
  const problem = job?.error && !writing ? sentencesOfProblem(job.error, text) : null;
  const shown = open || writing || run.merged.length > 0;
  if (!shown) {
    return (
      <Button
        tone="quiet"
        size="small"
        ref={back}
        aria-label={`${t.merging.open} · ${t.place.one(run.number)}`}
        onClick={() => setOpen(true)}
      >
        {t.merging.open}
      </Button>
    );
  }
  return (
    <div className="version-export" role="group" aria-label={t.merging.title(run.number)}>
      <p className="small">
        <b>{t.merging.title(run.number)}</b> {t.merging.means}{" "}
        {run.audience === "owner" ? t.merging.private : ""}
      </p>
      {writing ? (
        <div role="status">
          <p className="small mute num">{t.merging.writing(Math.round(job.progress * 100))}</p>
          <Meter value={job.progress} label={t.merging.title(run.number)} />
        </div>
      ) : (
        <ul className="version-merged">
          {KINDS.map((kind) => {
            const ready = run.merged.find((each) => each.kind === kind);
            return (
              <li key={kind} className="row wrap">
                <code>{kind}</code>
                {ready ? (
                  <>
                    <a className="btn quiet small num" href={mergedHref(run.id, kind)} download>
                      <Icon of={Download} />{" "}
                      {t.merging.download(formatBytes(ready.bytes, language))}
                    </a>
                    <Button
                      tone="quiet"
                      size="small"
                      disabled={remove.isPending}
                      aria-label={t.merging.removeWhat(kind, run.number)}
                      onClick={() => remove.mutate({ id: run.id, kind })}
                    >
                      {t.merging.remove}
                    </Button>
                  </>
                ) : (
                  <Button
                    tone="quiet"
                    size="small"
                    disabled={merge.isPending}
                    aria-label={t.merging.writeWhat(kind, run.number)}
                    onClick={() => merge.mutate({ id: run.id, kind })}
                  >
                    {t.merging.write}
                  </Button>
                )}
                <span className="tiny faint">{t.merging.kinds[kind]}</span>
              </li>
            );
          })}
        </ul>
      )}
      {problem ? (
        <Failed title={problem.title} detail={problem.detail} hint={problem.hint} />
      ) : null}
      {merge.isError ? <Trouble error={merge.error} /> : null}
      {remove.isError ? <Trouble error={remove.error} /> : null}
      {writing || run.merged.length > 0 ? null : (
        <div>
          {/* One asked for the choice by pressing Export: what closes it again has the focus. */}
          {/* eslint-disable-next-line jsx-a11y/no-autofocus */}
          <Button tone="quiet" size="small" autoFocus={open} onClick={() => setOpen(false)}>
            {t.merging.close}
          </Button>
        </div>
      )}
    </div>
  );
}
