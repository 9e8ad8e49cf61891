"use client";
import { useState } from "react";
import { isRunning, useCancelJob, useRetryJob, useWhenWorkEnds } from "@/lib/api/jobs";
import { useEmbedders, useTryEmbedder, useUseEmbedder } from "@/lib/api/models";
import type { Embedder, EmbedderChoice, EmbedderTried, Job } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { useSettingsText, type SettingsText } from "@/lib/i18n/settings";
import { sentencesOfProblem } from "@/lib/problem";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Check } from "@/ui/field";
import { Meter } from "@/ui/meter";
import { Trouble } from "@/ui/trouble";
import { Chooser, endpointOf, fileOf, isIncomplete, NOWHERE, type Whereabouts } from "./chooser";
import { Section } from "./section";

type Kind = Exclude<EmbedderChoice["kind"], "hashing">;
const KINDS: readonly Kind[] = ["bundled", "none", "file", "endpoint"];

/**
 * What turns texts into vectors: tried first, then everything is read anew while the one before
 * serves.
 */
export function EmbedderSection() {
  const words = useSettingsText();
  const query = useEmbedders();
  useWhenWorkEnds(query.refetch, "reembed");
  const known = query.data;
  return (
    <Section id="meaning" title={words.embedder.title} lead={words.embedder.lead}>
      {known ? (
        <>
          {known.job ? <Coming job={known.job} name={known.wanted ?? ""} /> : null}
          <Choices embedders={known.items} coming={known.job !== null && isRunning(known.job)} />
        </>
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={words.settings.loading} />
      )}
    </Section>
  );
}

function Coming({ job, name }: { job: Job; name: string }) {
  const text = useText();
  const words = useSettingsText();
  const cancel = useCancelJob();
  const retry = useRetryJob();
  const { refetch } = useEmbedders();
  const again = { onSettled: () => void refetch() };
  if (isRunning(job)) {
    const said = words.embedder.reading(name, Math.round(job.progress * 100));
    return (
      <div className="work" role="status">
        <p className="small num">{said}</p>
        <Meter value={job.progress} label={said} />
        <Button
          size="small"
          tone="quiet"
          disabled={cancel.isPending}
          onClick={() => cancel.mutate(job.id, again)}
        >
          {words.embedder.cancel}
        </Button>
      </div>
    );
  }
  const problem = job.error ? sentencesOfProblem(job.error, text) : null;
  return (
    <div className="work" role="status">
      <p className="small">{(problem ? words.embedder.failed : words.embedder.stopped)(name)}</p>
      {problem ? (
        <p className="tiny mute">
          {problem.detail} {problem.hint}
        </p>
      ) : null}
      <Button
        size="small"
        tone="quiet"
        disabled={retry.isPending}
        onClick={() => retry.mutate(job.id, again)}
      >
        {words.embedder.retry}
      </Button>
    </div>
  );
}

function Choices({ embedders, coming }: { embedders: readonly Embedder[]; coming: boolean }) {
  const words = useSettingsText();
  const active = embedders.find((embedder) => embedder.active);
  const [kind, setKind] = useState<Kind>(
    active && active.kind !== "hashing" ? active.kind : "bundled",
  );
  const [where, setWhere] = useState<Whereabouts>({
    ...NOWHERE,
    ...(active?.kind === "file" ? { path: active.id } : {}),
    ...(active?.kind === "endpoint" ? { url: active.id } : {}),
  });
  const [yes, setYes] = useState(false);
  const probe = useTryEmbedder();
  const use = useUseEmbedder();
  const tried = probe.data;
  const change = (act: () => void): void => {
    act();
    probe.reset();
    use.reset();
  };
  const choice = choiceOf(kind, where, yes);
  const incomplete = isIncomplete(kind, where);
  return (
    <>
      <p className="small">
        <span className="faint">{words.embedder.now}: </span>
        <b>{active?.name ?? "–"}</b>
        {active && active.passages > 0 ? (
          <span className="faint num"> · {words.embedder.serves(active.passages)}</span>
        ) : null}
      </p>
      <Chooser
        legend={words.embedder.title}
        rows={KINDS.map((one) => ({ kind: one, name: words.embedder.kinds[one] }))}
        chosen={kind}
        active={active?.kind}
        where={where}
        files={embedders.filter((each) => each.kind === "file").map((each) => each.id)}
        onChoose={(next: Kind) => change(() => setKind(next))}
        onWhere={(next) => change(() => setWhere(next))}
      />
      <div aria-live="polite">
        {probe.isPending ? <p className="mute small">{words.embedder.probing}</p> : null}
        {tried ? (
          <p className={tried.ok ? "verdict num" : "verdict no"}>{verdict(tried, words)}</p>
        ) : null}
        {probe.isError ? <Trouble error={probe.error} /> : null}
        {use.isError ? <Trouble error={use.error} /> : null}
      </div>
      {tried?.ok && tried.elsewhere ? (
        <>
          <p className="warn">{words.embedder.outward}</p>
          <Check label={words.embedder.consent} checked={yes} onChange={setYes} />
        </>
      ) : null}
      <div className="sec-foot">
        <Button
          disabled={incomplete || probe.isPending || use.isPending}
          onClick={() => probe.mutate(choice)}
        >
          {words.embedder.probe}
        </Button>
        <Button
          tone="ink"
          disabled={!tried?.ok || (tried.elsewhere && !yes) || coming || use.isPending}
          onClick={() => use.mutate(choice, { onSuccess: () => probe.reset() })}
        >
          {words.embedder.use}
        </Button>
      </div>
    </>
  );
}

function verdict(tried: EmbedderTried, words: SettingsText): string {
  return tried.ok && tried.dimension > 0
    ? words.embedder.measured(tried.sentence, tried.dimension, tried.sentences_per_second ?? 0)
    : words.embedder.said(tried.sentence);
}

function choiceOf(kind: Kind, where: Whereabouts, consent: boolean): EmbedderChoice {
  switch (kind) {
    case "bundled":
    case "none":
      return { kind, consent: false };
    case "file":
      return { kind, consent: false, ...fileOf(where) };
    case "endpoint":
      return { kind, consent, ...endpointOf(where) };
  }
}
