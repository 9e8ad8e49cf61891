"use client";
import { useState } from "react";
import { useModelBefore, useModels, useProbe, useUseModel } from "@/lib/api/models";
import type { Choice, Model, Probe } from "@/lib/api/types";
import { useSettingsText } from "@/lib/i18n/settings";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { Catalogue } from "./catalogue";
import {
  Chooser,
  endpointOf,
  fileOf,
  isHere,
  isIncomplete,
  NOWHERE,
  type Whereabouts,
} from "./chooser";
import { Section } from "./section";

type Kind = Choice["kind"];

/** Who writes the answers: first a sign of life in words, then it is used. */
export function ModelSection() {
  const words = useSettingsText();
  const query = useModels();
  return (
    <Section id="model" title={words.settings.model} lead={words.settings.modelLead}>
      {query.data ? (
        <>
          <Choices models={query.data.items.filter((model) => model.kind !== "catalogue")} />
          <Catalogue models={query.data.items} />
        </>
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={words.settings.loading} />
      )}
    </Section>
  );
}

function Choices({ models }: { models: readonly Model[] }) {
  const words = useSettingsText();
  const active = models.find((model) => model.active);
  const [kind, setKind] = useState<Kind>(
    active && active.kind !== "scripted" && active.kind !== "catalogue" ? active.kind : "bundled",
  );
  const [where, setWhere] = useState<Whereabouts>({
    ...NOWHERE,
    ...(active?.kind === "file" ? { path: active.id } : {}),
    ...(active?.kind === "endpoint"
      ? { url: active.id, model: active.name === active.id ? "" : active.name }
      : {}),
  });
  const probe = useProbe();
  const use = useUseModel();
  const before = useModelBefore();
  const { mutateAsync: takeBack } = before;
  const begin = (): void =>
    offerUndoWhen(use.mutateAsync(choice), () => ({
      sentence: words.settings.modelChosen(active?.name ?? words.settings.bundled),
      undo: async () => {
        await takeBack().catch(() => undefined); // said beneath
        use.reset();
      },
    }));
  const choice = choiceOf(kind, where);
  const incomplete = isIncomplete(kind, where);
  const change = (act: () => void): void => {
    act();
    probe.reset();
    use.reset();
    before.reset();
  };
  return (
    <>
      <p className="small">
        <span className="faint">{words.settings.modelNow}: </span>
        <b>{active?.name ?? "–"}</b>
        {active?.detail && active.kind !== "bundled" && active.detail !== active.name ? (
          <span className="faint"> · {active.detail}</span>
        ) : null}
      </p>
      <Chooser
        legend={words.settings.model}
        rows={[
          { kind: "bundled", name: words.settings.bundled, detail: words.settings.bundledDetail },
          { kind: "file", name: words.settings.file },
          { kind: "endpoint", name: words.settings.endpoint },
        ]}
        chosen={kind}
        active={active?.kind}
        where={where}
        files={models
          .filter((model) => model.kind === "file" && !model.active)
          .map((model) => model.id)}
        onChoose={(next: Kind) => change(() => setKind(next))}
        onWhere={(next) => change(() => setWhere(next))}
        outward={isHere(where.url) ? null : <p className="warn">{words.settings.outward}</p>}
      />
      <div aria-live="polite">
        {probe.isPending ? <p className="mute small">{words.settings.probing}</p> : null}
        {probe.data ? <Verdict probe={probe.data} /> : null}
        {probe.isError ? <Trouble error={probe.error} /> : null}
        {use.isSuccess ? <p className="small mute">{words.settings.inUse}</p> : null}
        {use.isError ? <Trouble error={use.error} /> : null}
        {before.isError ? <Trouble error={before.error} /> : null}
      </div>
      <div className="sec-foot">
        <Button
          disabled={incomplete || probe.isPending || use.isPending}
          onClick={() => probe.mutate(choice)}
        >
          {words.settings.probe}
        </Button>
        <Button
          tone="ink"
          disabled={incomplete || use.isPending || !probe.data?.ok}
          onClick={begin}
        >
          {words.settings.use}
        </Button>
      </div>
    </>
  );
}

function choiceOf(kind: Kind, where: Whereabouts): Choice {
  switch (kind) {
    case "bundled":
      return { kind };
    case "file":
      return { kind, ...fileOf(where) };
    case "endpoint":
      return { kind, ...endpointOf(where) };
  }
}

function Verdict({ probe }: { probe: Probe }) {
  const words = useSettingsText();
  return (
    <p className={probe.ok ? "verdict num" : "verdict no"}>
      {words.settings.probeSays(
        probe.sentence,
        probe.ok,
        probe.context_window,
        probe.words_per_second,
      )}
    </p>
  );
}
