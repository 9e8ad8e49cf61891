"use client";
import type { ReactNode } from "react";
import { useSaveSettings, useSettings } from "@/lib/api/identity";
import { useStatus } from "@/lib/api/status";
import type { Settings } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { applyPrefs, keepPrefs } from "@/lib/prefs";
import { Bar } from "@/ui/bar";
import { Loading } from "@/ui/faces";
import { Check, Segmented } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { Activity } from "./activity";
import { Data } from "./data";
import { EmbedderSection } from "./embedder";
import { EraseAll } from "./erase-all";
import { Health } from "./health";
import { Keys } from "./keys";
import { ModelSection } from "./model";
import { Section } from "./section";
import { You } from "./you";

/** Everything that can be changed, each with what it means. */
export function SettingsPlace({ keyTable }: { keyTable: ReactNode }) {
  const text = useText();
  const status = useStatus().data;
  const sections: readonly (readonly [string, string])[] = [
    ["you", text.settings.you],
    ["model", text.settings.model],
    ["meaning", text.embedder.title],
    ["keys", text.settings.keys],
    ["data", text.data.title],
    ["activity", text.activity.title],
    ["look", text.settings.look],
    ["keyboard", text.settings.keyboard],
    ["health", text.settings.health],
    ["erase", text.eraseAll.title],
  ];
  return (
    <>
      <Bar title={text.places.settings} />
      <div className="main">
        <div className="set">
          <nav className="set-nav" aria-label={text.settings.title}>
            {sections.map(([id, name]) => (
              <a key={id} href={`#${id}`}>
                {name}
              </a>
            ))}
          </nav>
          <div className="set-body">
            <You />
            <ModelSection />
            <EmbedderSection />
            <Keys />
            <Data />
            <Activity />
            <Look />
            <Section id="keyboard" title={text.settings.keyboard} lead={text.keys.lead}>
              <SingleKeys />
              {keyTable}
            </Section>
            <Health />
            <EraseAll />
            {status ? <p className="tiny faint">{text.settings.about(status.version)}</p> : null}
          </div>
        </div>
      </div>
    </>
  );
}

/** The settings of the screen, saved as they change. */
function useLook() {
  const query = useSettings();
  const save = useSaveSettings();
  const change = (what: Partial<Settings>): void => {
    if (!query.data) return;
    const next = { ...query.data, ...what };
    keepPrefs(next);
    applyPrefs(next);
    save.mutate(next);
  };
  return { query, save, change };
}

function Look() {
  const text = useText();
  const { query, save, change } = useLook();
  return (
    <Section id="look" title={text.settings.look}>
      {query.data ? (
        <>
          <Segmented
            label={text.settings.language}
            value={query.data.language}
            choices={[
              ["system", text.settings.system],
              ["en", text.settings.english],
              ["ja", text.settings.japanese],
            ]}
            onChange={(language) => change({ language })}
          />
          <Segmented
            label={text.settings.theme}
            value={query.data.theme}
            choices={[
              ["system", text.settings.system],
              ["light", text.settings.light],
              ["dark", text.settings.dark],
            ]}
            onChange={(theme) => change({ theme })}
          />
          {save.isError ? <Trouble error={save.error} /> : null}
        </>
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={text.settings.loading} />
      )}
    </Section>
  );
}

function SingleKeys() {
  const text = useText();
  const { query, change } = useLook();
  return query.data ? <Check label={text.settings.singleKeys} checked={query.data.single_keys} onChange={(on) => change({ single_keys: on })} /> : null;
}
