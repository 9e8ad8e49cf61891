"use client";
import { useState } from "react";
import { useModels, useProbe, useUseModel } from "@/lib/api/models";
import type { Choice, Model, Probe } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Field } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { Section } from "./section";

type Kind = Choice["kind"];

/** Whether an address points at this machine. */
function isHere(url: string): boolean {
  try {
    const { hostname } = new URL(url);
    return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  } catch {
    return true;
  }
}

/** Who writes the answers: first a sign of life in words, then it is used. */
export function ModelSection() {
  const text = useText();
  const query = useModels();
  return (
    <Section id="model" title={text.settings.model} lead={text.settings.modelLead}>
      {query.data ? <Choices models={query.data.items} /> : query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : <Loading words={text.settings.loading} />}
    </Section>
  );
}

function Choices({ models }: { models: readonly Model[] }) {
  const text = useText();
  const active = models.find((model) => model.active);
  const [kind, setKind] = useState<Kind>(active && active.kind !== "scripted" ? active.kind : "bundled");
  const [path, setPath] = useState(active?.kind === "file" ? active.id : "");
  const [endpoint, setEndpoint] = useState({ url: active?.kind === "endpoint" ? active.id : "", key: "", model: active?.kind === "endpoint" && active.name !== active.id ? active.name : "" });
  const probe = useProbe();
  const use = useUseModel();
  const choice = choiceOf(kind, path, endpoint);
  const incomplete = (kind === "file" && path.trim() === "") || (kind === "endpoint" && endpoint.url.trim() === "");
  const pick = (next: Kind): void => {
    setKind(next);
    probe.reset();
    use.reset();
  };
  const rows: readonly (readonly [Kind, string, string])[] = [
    ["bundled", text.settings.bundled, text.settings.bundledDetail],
    ["file", text.settings.file, ""],
    ["endpoint", text.settings.endpoint, ""],
  ];
  const others = models.filter((model) => model.kind === "file" && !model.active);
  return (
    <>
      <p className="small">
        <span className="faint">{text.settings.modelNow}: </span>
        <b>{active?.name ?? "–"}</b>
        {active?.detail && active.kind !== "bundled" && active.detail !== active.name ? <span className="faint"> · {active.detail}</span> : null}
      </p>
      <fieldset className="choices">
        <legend className="sr">{text.settings.model}</legend>
        {rows.map(([one, name, detail]) => (
          <div key={one} className={kind === one ? "choice on" : "choice"}>
            <label>
              <input type="radio" name="model-kind" checked={kind === one} onChange={() => pick(one)} />
              <span>{name}</span>
              {active?.kind === one ? <span className="now">{text.settings.modelNow}</span> : <span />}
              {detail ? <span className="tiny faint">{detail}</span> : null}
            </label>
            {kind === one && one === "file" ? (
              <div className="inner">
                <Field label={text.settings.filePath} voice="mono" placeholder={text.settings.filePlaceholder} value={path} list="gguf-files" onChange={(event) => setPath(event.target.value)} />
                <datalist id="gguf-files">
                  {others.map((model) => (
                    <option key={model.id} value={model.id} />
                  ))}
                </datalist>
              </div>
            ) : null}
            {kind === one && one === "endpoint" ? (
              <div className="inner">
                <Field label={text.settings.endpointUrl} voice="mono" type="url" placeholder={text.settings.endpointPlaceholder} value={endpoint.url} onChange={(event) => setEndpoint({ ...endpoint, url: event.target.value })} />
                <Field
                  label={text.settings.endpointKey}
                  hint={text.settings.endpointKeyKept}
                  voice="mono"
                  type="password"
                  autoComplete="off"
                  value={endpoint.key}
                  onChange={(event) => setEndpoint({ ...endpoint, key: event.target.value })}
                />
                <Field label={text.settings.endpointModel} voice="mono" value={endpoint.model} onChange={(event) => setEndpoint({ ...endpoint, model: event.target.value })} />
                {isHere(endpoint.url) ? null : <p className="warn">{text.settings.outward}</p>}
              </div>
            ) : null}
          </div>
        ))}
      </fieldset>
      <div aria-live="polite">
        {probe.isPending ? <p className="mute small">{text.settings.probing}</p> : null}
        {probe.data ? <Verdict probe={probe.data} /> : null}
        {probe.isError ? <Trouble error={probe.error} /> : null}
        {use.isSuccess ? <p className="small mute">{text.settings.inUse}</p> : null}
        {use.isError ? <Trouble error={use.error} /> : null}
      </div>
      <div className="sec-foot">
        <Button disabled={incomplete || probe.isPending || use.isPending} onClick={() => probe.mutate(choice)}>
          {text.settings.probe}
        </Button>
        <Button tone="ink" disabled={incomplete || use.isPending || !probe.data?.ok} onClick={() => use.mutate(choice)}>
          {text.settings.use}
        </Button>
      </div>
    </>
  );
}

function choiceOf(kind: Kind, path: string, endpoint: { url: string; key: string; model: string }): Choice {
  switch (kind) {
    case "bundled":
      return { kind };
    case "file":
      return { kind, path: path.trim() };
    case "endpoint":
      return { kind, url: endpoint.url.trim(), ...(endpoint.key === "" ? {} : { key: endpoint.key }), ...(endpoint.model.trim() === "" ? {} : { model: endpoint.model.trim() }) };
  }
}

function Verdict({ probe }: { probe: Probe }) {
  const text = useText();
  return <p className={probe.ok ? "verdict num" : "verdict no"}>{text.settings.probeSays(probe.sentence, probe.ok, probe.context_window, probe.words_per_second)}</p>;
}
