"use client";
import { useState } from "react";
import { isRunning, useCancelJob, useJobs, useWhenWorkEnds } from "@/lib/api/jobs";
import { useDownload, useModels } from "@/lib/api/models";
import type { Job, Model } from "@/lib/api/types";
import { formatBytes, useLanguage, useText } from "@/lib/i18n";
import { useSettingsText } from "@/lib/i18n/settings";
import { sentencesOfProblem } from "@/lib/problem";
import { jobCount } from "@/lib/said";
import { Button } from "@/ui/button";
import { Failed } from "@/ui/faces";
import { Check, Field } from "@/ui/field";
import { Meter } from "@/ui/meter";
import { Trouble } from "@/ui/trouble";

/**
 * Models that can be fetched: each with its size and licence, how far it is, and a way to stop and
 * go on.
 */
export function Catalogue({ models }: { models: readonly Model[] }) {
  const words = useSettingsText();
  const jobs = useJobs().data?.items ?? [];
  useWhenWorkEnds(useModels().refetch, "download");
  const entries = models.filter((model) => model.kind === "catalogue");
  return (
    <div className="part" id="models">
      <h3>{words.catalogue.title}</h3>
      <p className="small mute">{words.catalogue.lead}</p>
      {entries.length === 0 ? <p className="small faint">{words.catalogue.none}</p> : null}
      <ul className="keylist">
        {entries.map((model) => (
          <Row key={model.id} model={model} job={jobs.find((job) => job.id === model.job)} />
        ))}
      </ul>
      <Own jobs={jobs} />
    </div>
  );
}

function Row({ model, job }: { model: Model; job: Job | undefined }) {
  const words = useSettingsText();
  const language = useLanguage();
  const download = useDownload();
  const under = job !== undefined && isRunning(job);
  const partly = (model.fetched ?? 0) > 0 && !under;
  const name = (partly ? words.catalogue.goOnOf : words.catalogue.getOf)(model.name);
  return (
    <li className="fetchable">
      <b>{model.name}</b>
      <span className="faint num">
        {words.catalogue.size(formatBytes(model.bytes ?? 0, language), model.licence ?? "")}
      </span>
      {model.purpose === "embedding" ? (
        <span className="faint">{words.catalogue.embeds}</span>
      ) : null}
      {under ? null : (
        <Button
          className="push"
          size="small"
          tone="quiet"
          aria-label={name}
          disabled={download.isPending}
          onClick={() => download.mutate({ id: model.id })}
        >
          {partly ? words.catalogue.goOn : words.catalogue.get}
        </Button>
      )}
      {partly ? (
        <span className="whole tiny faint num">
          {words.catalogue.partly(formatBytes(model.fetched ?? 0, language))}
        </span>
      ) : null}
      {job ? <Progress job={job} /> : null}
      {download.isError ? <Trouble error={download.error} /> : null}
    </li>
  );
}

function Progress({ job }: { job: Job }) {
  const text = useText();
  const words = useSettingsText();
  const cancel = useCancelJob();
  if (job.state === "failed" && job.error) {
    const { title, detail, hint } = sentencesOfProblem(job.error, text);
    return (
      <div className="whole">
        <Failed title={title} detail={detail} hint={hint} />
      </div>
    );
  }
  if (!isRunning(job)) return null;
  const said = text.library.progress(
    text.jobs.steps[job.step] ?? job.step,
    Math.round(job.progress * 100),
  );
  return (
    <div className="whole work" role="status">
      <p className="tiny num">
        {said} <span className="faint">{job.step === "fetch" ? jobCount(job, text) : ""}</span>
      </p>
      <Meter value={job.progress} label={said} />
      <Button
        size="small"
        tone="quiet"
        disabled={cancel.isPending}
        onClick={() => cancel.mutate(job.id)}
      >
        {words.catalogue.stop}
      </Button>
    </div>
  );
}

function Own({ jobs }: { jobs: readonly Job[] }) {
  const words = useSettingsText();
  const download = useDownload();
  const [url, setUrl] = useState("");
  const [yes, setYes] = useState(false);
  const job = jobs.find((each) => each.id === download.data?.job.id);
  return (
    <details className="own">
      <summary>{words.catalogue.own}</summary>
      <form
        className="sec-form"
        onSubmit={(event) => {
          event.preventDefault();
          download.mutate({ id: "url", url: url.trim(), consent: yes });
        }}
      >
        <Field
          label={words.settings.endpointUrl}
          hint={words.catalogue.ownHint}
          voice="mono"
          type="url"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <Check label={words.catalogue.ownYes} checked={yes} onChange={setYes} />
        {download.isError ? <Trouble error={download.error} /> : null}
        {job ? <Progress job={job} /> : null}
        <div>
          <Button
            type="submit"
            disabled={
              url.trim() === "" ||
              !yes ||
              download.isPending ||
              (job !== undefined && isRunning(job))
            }
          >
            {words.catalogue.get}
          </Button>
        </div>
      </form>
    </details>
  );
}
