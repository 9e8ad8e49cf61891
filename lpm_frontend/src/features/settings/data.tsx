"use client";
import { useRef, useState } from "react";
import { archiveHref, useBackUp, useRemoveBackup, useBackups, useExport, useExports, useImport, useVerify } from "@/lib/api/home";
import { isRunning, useCancelJob, useJobs, useWhenWorkEnds } from "@/lib/api/jobs";
import type { Backup, Job } from "@/lib/api/types";
import { formatBytes, formatDate, useLanguage, useText } from "@/lib/i18n";
import { sentencesOfProblem } from "@/lib/problem";
import { findingSentence, jobOutcome } from "@/lib/said";
import { Button } from "@/ui/button";
import { Command, Failed, Loading } from "@/ui/faces";
import { Check } from "@/ui/field";
import { Meter } from "@/ui/meter";
import { Trouble } from "@/ui/trouble";
import { Part } from "./part";
import { Section } from "./section";
import { Sizes } from "./sizes";

/** Everything as a whole: hand it out, take it in, back it up, check it. */
export function Data() {
  const text = useText();
  return (
    <Section id="data" title={text.data.title} lead={text.data.lead}>
      <Sizes />
      <HandOut />
      <TakeIn />
      <Backups />
      <Verify />
    </Section>
  );
}

const SHOWN = 8;

/** The newest job of a kind. */
const useWork = (kind: string): Job | undefined => useJobs().data?.items.find((each) => each.kind === kind);

/** How far work is, with a way to stop it; or why it did not work. */
export function Work({ job }: { job: Job | undefined }) {
  const text = useText();
  const cancel = useCancelJob();
  if (!job) return null;
  if (job.state === "failed" && job.error) {
    const { title, detail, hint } = sentencesOfProblem(job.error, text);
    return <Failed title={title} detail={detail} hint={hint} />;
  }
  if (!isRunning(job)) return null;
  const said = text.data.working(text.jobs.kinds[job.kind] ?? job.kind, Math.round(job.progress * 100));
  return (
    <div className="work" role="status">
      <p className="small num">{said}</p>
      <Meter value={job.progress} label={said} />
      <Button size="small" tone="quiet" disabled={cancel.isPending} onClick={() => cancel.mutate(job.id)}>
        {text.jobs.cancel}
      </Button>
    </div>
  );
}

function HandOut() {
  const text = useText();
  const language = useLanguage();
  const ready = useExports();
  const make = useExport();
  const [closed, setClosed] = useState(false);
  const [talks, setTalks] = useState(true);
  const { refetch } = ready;
  const job = useWork("export");
  useWhenWorkEnds(refetch, "export");
  return (
    <Part title={text.data.exportTitle} lead={text.data.exportLead}>
      <div className="row wrap gaps">
        <Check label={text.data.withPrivate} checked={closed} onChange={setClosed} />
        <Check label={text.data.withConversations} checked={talks} onChange={setTalks} />
      </div>
      <div className="sec-foot">
        <Button disabled={make.isPending || (job !== undefined && isRunning(job))} onClick={() => make.mutate({ private: closed, conversations: talks })}>
          {text.data.exportDo}
        </Button>
      </div>
      {make.isError ? <Trouble error={make.error} /> : <Work job={job} />}
      {ready.isError ? <Trouble error={ready.error} onRetry={() => void refetch()} /> : null}
      {ready.data && ready.data.items.length > 0 ? (
        <>
          <ul className="keylist">
            {ready.data.items.map((archive) => (
              <li key={archive.id}>
                <span className="num">{text.data.ready(formatDate(archive.made_at, language), formatBytes(archive.bytes, language))}</span>
                <a className="link push" href={archiveHref(archive.id)} download>
                  {text.data.download}
                </a>
              </li>
            ))}
          </ul>
          <p className="tiny faint">{text.data.readyUntil}</p>
        </>
      ) : null}
    </Part>
  );
}

function TakeIn() {
  const text = useText();
  const take = useImport();
  const job = useWork("import");
  const file = useRef<HTMLInputElement>(null);
  return (
    <Part title={text.data.importTitle} lead={text.data.importLead}>
      <input
        ref={file}
        className="sr"
        type="file"
        accept=".zip,application/zip"
        tabIndex={-1}
        aria-label={text.data.importDo}
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          if (chosen) take.mutate(chosen);
          event.target.value = "";
        }}
      />
      <div className="sec-foot">
        <Button disabled={take.isPending || (job !== undefined && isRunning(job))} onClick={() => file.current?.click()}>
          {text.data.importDo}
        </Button>
      </div>
      {take.isError ? <Trouble error={take.error} /> : <Work job={job} />}
      {job?.state === "succeeded" ? <p className="small mute num">{jobOutcome(job, text)}</p> : null}
    </Part>
  );
}

function Backups() {
  const text = useText();
  const query = useBackups();
  const { refetch } = query;
  const make = useBackUp();
  const job = useWork("backup");
  useWhenWorkEnds(refetch, "backup");
  const known = query.data;
  return (
    <Part title={text.data.backupTitle} lead={known ? text.data.backupLead(known.folder) : ""}>
      {known ? (
        known.items.length > 0 ? (
          <ul className="keylist">
            {known.items.slice(0, SHOWN).map((each) => (
              <BackupRow key={each.id} backup={each} />
            ))}
            {known.items.length > SHOWN ? <li className="faint">{text.data.backupMore(known.items.length - SHOWN)}</li> : null}
          </ul>
        ) : (
          <p className="small faint">{text.data.backupNone}</p>
        )
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void refetch()} />
      ) : (
        <Loading words={text.settings.loading} />
      )}
      <div className="sec-foot">
        <Button disabled={make.isPending || (job !== undefined && isRunning(job))} onClick={() => make.mutate()}>
          {text.data.backupDo}
        </Button>
      </div>
      {make.isError ? <Trouble error={make.error} /> : <Work job={job} />}
      {known?.items[0] ? (
        <p className="tiny mute">
          {text.data.restoreHow} <Command>{`lpm restore ${known.items[0].id}`}</Command>
        </p>
      ) : null}
    </Part>
  );
}

/** A backup, and a way to remove it: asked twice, because nothing brings it back. */
function BackupRow({ backup }: { backup: Backup }) {
  const text = useText();
  const language = useLanguage();
  const remove = useRemoveBackup();
  const [sure, setSure] = useState(false);
  const when = formatDate(backup.at, language);
  return (
    <li>
      <b className="num">{when}</b>
      <code className="tiny">{backup.id}</code>
      <span className="faint num">{text.data.backupRow(backup.documents, formatBytes(backup.bytes, language))}</span>
      <span className="faint">{text.data.backupLabels[backup.label] ?? backup.label}</span>
      <span className="push row">
        {sure ? (
          <>
            <Button size="small" tone="beni" disabled={remove.isPending} onClick={() => remove.mutate(backup.id)}>
              {text.data.backupRemoveSure}
            </Button>
            <Button size="small" tone="quiet" onClick={() => setSure(false)}>
              {text.erase.keep}
            </Button>
          </>
        ) : (
          <Button size="small" tone="quiet" aria-label={text.data.backupRemoveOf(when, backup.id)} onClick={() => setSure(true)}>
            {text.data.backupRemove}
          </Button>
        )}
      </span>
      {remove.isError ? (
        <div className="whole">
          <Trouble error={remove.error} />
        </div>
      ) : null}
    </li>
  );
}

interface Finding {
  readonly state: string;
  readonly sentence: string;
  readonly code?: string;
  readonly values?: readonly (string | number)[];
}
const isFinding = (value: unknown): value is Finding => typeof value === "object" && value !== null && "state" in value && "sentence" in value && typeof value.state === "string" && typeof value.sentence === "string";

function Verify() {
  const text = useText();
  const verify = useVerify();
  const job = useWork("verify");
  const said: unknown = job?.state === "succeeded" ? job.result?.["findings"] : undefined;
  const findings = Array.isArray(said) ? said.filter(isFinding).filter((each) => each.state !== "fine") : [];
  const busy = verify.isPending || (job !== undefined && isRunning(job));
  return (
    <Part title={text.data.verifyTitle} lead={text.data.verifyLead}>
      <div className="sec-foot">
        <Button disabled={busy} onClick={() => verify.mutate(false)}>
          {text.data.verifyDo}
        </Button>
        {findings.length > 0 ? (
          <Button tone="quiet" disabled={busy} onClick={() => verify.mutate(true)}>
            {text.data.repairDo}
          </Button>
        ) : null}
      </div>
      {verify.isError ? <Trouble error={verify.error} /> : <Work job={job} />}
      <div role="status">
        {job?.state === "succeeded" ? <p className={findings.length === 0 ? "verdict" : "verdict no"}>{findings.length === 0 ? text.data.verified : text.data.findings(findings.length)}</p> : null}
      </div>
      {findings.length > 0 ? (
        <ul className="keylist">
          {findings.slice(0, 20).map((each, at) => (
            <li key={`${at} ${each.sentence}`}>
              <b>{text.data.states[each.state] ?? each.state}</b>
              <span>{findingSentence(each, text)}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </Part>
  );
}
