"use client";
import { useState } from "react";
import { useThinking, useTryThinking, useUseThinking } from "@/lib/api/models";
import type { Probe, Thinking, ThinkingChoice } from "@/lib/api/types";
import { useSettingsText } from "@/lib/i18n/settings";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
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

type Kind = ThinkingChoice["kind"];
const KINDS: readonly Kind[] = ["none", "file", "endpoint", "bundled"];

/** What thinks where a training teaches it: tried for that, apart from the model that answers. */
export function ThinkingSection() {
  const words = useSettingsText();
  const query = useThinking();
  return (
    <Section id="thinking" title={words.thinking.title} lead={words.thinking.lead}>
      {query.data ? (
        <Choices known={query.data} />
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={words.settings.loading} />
      )}
    </Section>
  );
}

function Choices({ known }: { known: Thinking }) {
  const words = useSettingsText();
  const [kind, setKind] = useState<Kind>(known.kind === "scripted" ? "none" : known.kind);
  const [where, setWhere] = useState<Whereabouts>({
    ...NOWHERE,
    ...(known.kind === "endpoint" ? { url: known.name, model: known.model } : {}),
  });
  const probe = useTryThinking();
  const use = useUseThinking();
  const choice = choiceOf(kind, where);
  const incomplete = isIncomplete(kind, where);
  const busy = probe.isPending || use.isPending;
  const change = (act: () => void): void => {
    act();
    probe.reset();
    use.reset();
  };
  return (
    <>
      <p className="small">
        <span className="faint">{words.settings.modelNow}: </span>
        <b>{known.kind === "none" ? words.thinking.kinds.none : known.name}</b>
        {known.keyed ? <span className="faint"> · {words.thinking.keyed}</span> : null}
      </p>
      <Chooser
        legend={words.thinking.title}
        rows={KINDS.map((one) => ({
          kind: one,
          name: words.thinking.kinds[one],
          ...(one === "none" ? { detail: words.thinking.noneDetail } : {}),
        }))}
        chosen={kind}
        active={known.kind}
        where={where}
        files={[]}
        onChoose={(next: Kind) => change(() => setKind(next))}
        onWhere={(next) => change(() => setWhere(next))}
        outward={isHere(where.url) ? null : <p className="warn">{words.thinking.outward}</p>}
      />
      <div aria-live="polite">
        {busy ? <p className="mute small">{words.settings.probing}</p> : null}
        {probe.data && kind !== "none" ? <Verdict probe={probe.data} /> : null}
        {probe.isError ? <Trouble error={probe.error} /> : null}
        {use.isSuccess ? <p className="small mute">{words.settings.inUse}</p> : null}
        {use.isError ? <Trouble error={use.error} /> : null}
      </div>
      <div className="sec-foot">
        {kind === "none" ? null : (
          <Button disabled={incomplete || busy} onClick={() => probe.mutate(choice)}>
            {words.settings.probe}
          </Button>
        )}
        <Button
          tone="ink"
          disabled={incomplete || busy || (kind !== "none" && !probe.data?.ok)}
          onClick={() => use.mutate(choice)}
        >
          {words.settings.use}
        </Button>
      </div>
    </>
  );
}

function choiceOf(kind: Kind, where: Whereabouts): ThinkingChoice {
  switch (kind) {
    case "none":
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
      {words.thinking.says(probe.sentence, probe.ok)}
    </p>
  );
}
