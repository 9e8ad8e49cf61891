"use client";
import Link from "next/link";
import { useRef, type ReactNode } from "react";
import { useSaveSettings, useSettings } from "@/lib/api/identity";
import { useStatus } from "@/lib/api/status";
import type { Settings } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { useLockText } from "@/lib/i18n/lock";
import { useSettingsText } from "@/lib/i18n/settings";
import { applyPrefs, keepPrefs } from "@/lib/prefs";
import { Bar } from "@/ui/bar";
import { Loading } from "@/ui/faces";
import { Check, Segmented } from "@/ui/field";
import { KeepingChoice } from "@/ui/keeping";
import { Trouble } from "@/ui/trouble";
import { Activity } from "./activity";
import { Data } from "./data";
import { EmbedderSection } from "./embedder";
import { EraseAll } from "./erase-all";
import { Health } from "./health";
import { Keys } from "./keys";
import { LockSection } from "./lock";
import { ModelSection } from "./model";
import { useNamedPlace } from "./named";
import { Section } from "./section";
import { ThinkingSection } from "./thinking";
import { You } from "./you";

/** Everything that can be changed, each with what it means. */
export function SettingsPlace({ keyTable }: { keyTable: ReactNode }) {
  const text = useText();
  const words = useSettingsText();
  const lock = useLockText();
  const status = useStatus().data;
  const body = useRef<HTMLDivElement>(null);
  useNamedPlace(body);
  const sections: readonly (readonly [string, string])[] = [
    ["you", words.settings.you],
    ["model", words.settings.model],
    ["thinking", words.thinking.title],
    ["meaning", words.embedder.title],
    ["keys", words.settings.keys],
    ["conversations", text.keeping.newTitle],
    ["data", words.data.title],
    ["lock", lock.title],
    ["activity", words.activity.title],
    ["look", words.settings.look],
    ["keyboard", words.settings.keyboard],
    ["health", words.settings.health],
    ["erase", words.eraseAll.title],
  ];
  return (
    <>
      <Bar title={text.places.settings} />
      <div className="main">
        <div className="set">
          <nav className="set-nav" aria-label={words.settings.title}>
            {sections.map(([id, name]) => (
              <a key={id} href={`#${id}`}>
                {name}
              </a>
            ))}
            <Link href="/exposure">{words.settings.exposure}</Link>
          </nav>
          <div className="set-body" ref={body}>
            <You />
            <ModelSection />
            <ThinkingSection />
            <EmbedderSection />
            <Keys />
            <NewConversations />
            <Data />
            <LockSection />
            <Activity />
            <Look />
            <Section id="keyboard" title={words.settings.keyboard} lead={text.keys.lead}>
              <SingleKeys />
              {keyTable}
            </Section>
            <Health />
            <EraseAll />
            {status ? <p className="tiny faint">{words.settings.about(status.version)}</p> : null}
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
  const words = useSettingsText();
  const { query, save, change } = useLook();
  return (
    <Section id="look" title={words.settings.look}>
      {query.data ? (
        <>
          <Segmented
            label={words.settings.language}
            value={query.data.language}
            choices={[
              ["system", words.settings.system],
              ["en", words.settings.english],
              ["ja", words.settings.japanese],
            ]}
            onChange={(language) => change({ language })}
          />
          <Segmented
            label={words.settings.theme}
            value={query.data.theme}
            choices={[
              ["system", words.settings.system],
              ["light", words.settings.light],
              ["dark", words.settings.dark],
            ]}
            onChange={(theme) => change({ theme })}
          />
          {save.isError ? <Trouble error={save.error} /> : null}
        </>
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={words.settings.loading} />
      )}
    </Section>
  );
}

/** What a new conversation keeps. */
function NewConversations() {
  const text = useText();
  const { query, save, change } = useLook();
  return (
    <Section id="conversations" title={text.keeping.newTitle} lead={text.keeping.newLead}>
      {query.data ? (
        <KeepingChoice
          value={query.data.keeping ?? "full"}
          onChange={(keeping) => change({ keeping })}
        />
      ) : null}
      {save.isError ? <Trouble error={save.error} /> : null}
    </Section>
  );
}

function SingleKeys() {
  const words = useSettingsText();
  const { query, change } = useLook();
  return query.data ? (
    <Check
      label={words.settings.singleKeys}
      checked={query.data.single_keys}
      onChange={(on) => change({ single_keys: on })}
    />
  ) : null;
}
