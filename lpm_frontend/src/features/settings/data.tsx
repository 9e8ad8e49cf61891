"use client";
import { useRef, useState } from "react";
import {
  archiveHref,
  useBackUp,
  useRemoveBackup,
  useBackups,
  useExport,
  useExports,
  useImport,
  useVerify,
} from "@/lib/api/home";
import { isRunning, useCancelJob, useJobs, useWhenWorkEnds } from "@/lib/api/jobs";
import type { Backup, Job } from "@/lib/api/types";
import { formatBytes, formatDate, useLanguage, useText } from "@/lib/i18n";
import { useSettingsText } from "@/lib/i18n/settings";
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
  const words = useSettingsText();
  return (
    <Section id="data" title={words.data.title} lead={words.data.lead}>
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
const useWork = (kind: string): Job | undefined =>
  useJobs().data?.items.find((each) => each.kind === kind);

/** How far work is, with a way to stop it; or why it did not work. */
export function Work({ job }: { job: Job | undefined }) {
  const text = useText();
  const words = useSettingsText();
  const cancel = useCancelJob();
  if (!job) return null;
  if (job.state === "failed" && job.error) {
    const { title, detail, hint } = sentencesOfProblem(job.error, text);
    return <Failed title={title} detail={detail} hint={hint} />;
  }
  if (!isRunning(job)) return null;
  const said = words.data.working(
    text.jobs.kinds[job.kind] ?? job.kind,
    Math.round(job.progress * 100),
  );
  return (
    <div className="work" role="status">
      <p className="small num">{said}</p>
      <Meter value={job.progress} label={said} />
      <Button
        size="small"
        tone="quiet"
        disabled={cancel.isPending}
        onClick={() => cancel.mutate(job.id)}
      >
        {text.jobs.cancel}
      </Button>
    </div>
  );
}

function HandOut() {
  const words = useSettingsText();
  const language = useLanguage();
  const ready = useExports();
  const make = useExport();
  const [closed, setClosed] = useState(false);
  const [talks, setTalks] = useState(true);
  const { refetch } = ready;
  const job = useWork("export");
  useWhenWorkEnds(refetch, "export");
  return (
    <Part title={words.data.exportTitle} lead={words.data.exportLead}>
      <div className="row wrap gaps">
        <Check label={words.data.withPrivate} checked={closed} onChange={setClosed} />
        <Check label={words.data.withConversations} checked={talks} onChange={setTalks} />
      </div>
      <div className="sec-foot">
        <Button
          disabled={make.isPending || (job !== undefined && isRunning(job))}
          onClick={() => make.mutate({ private: closed, conversations: talks })}
        >
          {words.data.exportDo}
        </Button>
      </div>
      {make.isError ? <Trouble error={make.error} /> : <Work job={job} />}
      {ready.isError ? <Trouble error={ready.error} onRetry={() => void refetch()} /> : null}
      {ready.data && ready.data.items.length > 0 ? (
        <>
          <ul className="keylist">
            {ready.data.items.map((archive) => (
              <li key={archive.id}>
                <span className="num">
                  {words.data.ready(
                    formatDate(archive.made_at, language),
                    formatBytes(archive.bytes, language),
                  )}
                </span>
                <a className="link push" href={archiveHref(archive.id)} download>
                  {words.data.download}
                </a>
              </li>
            ))}
          </ul>
          <p className="tiny faint">{words.data.readyUntil}</p>
        </>
      ) : null}
    </Part>
  );
}

function TakeIn() {
  const text = useText();
  const words = useSettingsText();
  const take = useImport();
  const job = useWork("import");
  const file = useRef<HTMLInputElement>(null);
  return (
    <Part title={words.data.importTitle} lead={words.data.importLead}>
      <input
        ref={file}
        className="sr"
        type="file"
        accept=".zip,application/zip"
        tabIndex={-1}
        aria-label={words.data.importDo}
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          if (chosen) take.mutate(chosen);
          event.target.value = "";
        }}
      />
      <div className="sec-foot">
        <Button
          disabled={take.isPending || (job !== undefined && isRunning(job))}
          onClick={() => file.current?.click()}
        >
          {words.data.importDo}
        </Button>
      </div>
      {take.isError ? <Trouble error={take.error} /> : <Work job={job} />}
      {job?.state === "succeeded" ? (
        <p className="small mute num">{jobOutcome(job, text)}</p>
      ) : null}
    </Part>
  );
}

function Backups() {
  const words = useSettingsText();
  const query = useBackups();
  const { refetch } = query;
  const make = useBackUp();
  const job = useWork("backup");
  useWhenWorkEnds(refetch, "backup");
  const known = query.data;
  return (
    <Part title={words.data.backupTitle} lead={known ? words.data.backupLead(known.folder) : ""}>
      {known ? (
        known.items.length > 0 ? (
          <ul className="keylist">
            {known.items.slice(0, SHOWN).map((each) => (
              <BackupRow key={each.id} backup={each} />
            ))}
            {known.items.length > SHOWN ? (
              <li className="faint">{words.data.backupMore(known.items.length - SHOWN)}</li>
            ) : null}
          </ul>
        ) : (
          <p className="small faint">{words.data.backupNone}</p>
        )
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void refetch()} />
      ) : (
        <Loading words={words.settings.loading} />
      )}
      <div className="sec-foot">
        <Button
          disabled={make.isPending || (job !== undefined && isRunning(job))}
          onClick={() => make.mutate()}
        >
          {words.data.backupDo}
        </Button>
      </div>
      {make.isError ? <Trouble error={make.error} /> : <Work job={job} />}
      {known?.items[0] ? (
        <p className="tiny mute">
          {words.data.restoreHow} <Command>{`lpm restore ${known.items[0].id}`}</Command>
        </p>
      ) : null}
    </Part>
  );
}

/** A backup, and a way to remove it: asked twice, because nothing brings it back. */
function BackupRow({ backup }: { backup: Backup }) {
  const text = useText();
  const words = useSettingsText();
  const language = useLanguage();
  const remove = useRemoveBackup();
  const [sure, setSure] = useState(false);
  const when = formatDate(backup.at, language);
  return (
    <li>
      <b className="num">{when}</b>
      <code className="tiny">{backup.id}</code>
      <span className="faint num">
        {words.data.backupRow(backup.documents, formatBytes(backup.bytes, language))}
      </span>
      <span className="faint">{words.data.backupLabels[backup.label] ?? backup.label}</span>
      <span className="push row">
        {sure ? (
          <>
            <Button
              size="small"
              tone="beni"
              disabled={remove.isPending}
              onClick={() => remove.mutate(backup.id)}
            >
              {words.data.backupRemoveSure}
            </Button>
            <Button size="small" tone="quiet" onClick={() => setSure(false)}>
              {text.erase.keep}
            </Button>
          </>
        ) : (
          <Button
            size="small"
            tone="quiet"
            aria-label={words.data.backupRemoveOf(when, backup.id)}
            onClick={() => setSure(true)}
          >
            {words.data.backupRemove}
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
const isFinding = (value: unknown): value is Finding =>
  typeof value === "object" &&
  value !== null &&
  "state" in value &&
  "sentence" in value &&
  typeof value.state === "string" &&
  typeof value.sentence === "string";

function Verify() {
  const text = useText();
  const words = useSettingsText();
  const verify = useVerify();
  const job = useWork("verify");
  const said: unknown = job?.state === "succeeded" ? job.result?.["findings"] : undefined;
  const findings = Array.isArray(said)
    ? said.filter(isFinding).filter((each) => each.state !== "fine")
    : [];
  const busy = verify.isPending || (job !== undefined && isRunning(job));
  return (
    <Part title={words.data.verifyTitle} lead={words.data.verifyLead}>
      <div className="sec-foot">
        <Button disabled={busy} onClick={() => verify.mutate(false)}>
          {words.data.verifyDo}
        </Button>
        {findings.length > 0 ? (
          <Button tone="quiet" disabled={busy} onClick={() => verify.mutate(true)}>
            {words.data.repairDo}
          </Button>
        ) : null}
      </div>
      {verify.isError ? <Trouble error={verify.error} /> : <Work job={job} />}
      <div role="status">
        {job?.state === "succeeded" ? (
          <p className={findings.length === 0 ? "verdict" : "verdict no"}>
            {findings.length === 0 ? words.data.verified : words.data.findings(findings.length)}
          </p>
        ) : null}
      </div>
      {findings.length > 0 ? (
        <ul className="keylist">
          {findings.slice(0, 20).map((each, at) => (
            <li key={`${at} ${each.sentence}`}>
              <b>{words.data.states[each.state] ?? each.state}</b>
              <span>{findingSentence(each, text)}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </Part>
  );
}
