"use client";
import { useEffect, useRef, useState } from "react";
import { useIdentity, useSaveIdentity } from "@/lib/api/identity";
import type { Identity } from "@/lib/api/types";
import { useSettingsText } from "@/lib/i18n/settings";
import { offerUndoWhen } from "@/lib/undo";
import { Loading } from "@/ui/faces";
import { Area, Check, Field, Segmented } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { Preview } from "./preview";
import { Section } from "./section";
import { Sound } from "./sound";

/** Who the node is the second self of. Saved as you change, with a way back. */
export function You() {
  const words = useSettingsText();
  const query = useIdentity();
  return (
    <Section id="you" title={words.settings.you} lead={words.settings.youLead}>
      {query.data ? (
        <Form identity={query.data} />
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={words.settings.loading} />
      )}
    </Section>
  );
}

const REST_MS = 700;

function Form({ identity }: { identity: Identity }) {
  const words = useSettingsText();
  const save = useSaveIdentity();
  const { mutate, mutateAsync } = save;
  const [draft, setDraft] = useState(identity);
  const kept = useRef(identity);
  const missing = draft.name.trim() === "";
  // Saved a moment after the last key, and when a field is left.
  useEffect(() => {
    if (missing || JSON.stringify(draft) === JSON.stringify(kept.current)) return undefined;
    const timer = setTimeout(() => {
      const before = kept.current;
      kept.current = draft;
      offerUndoWhen(mutateAsync(draft), () =>
        before.name === ""
          ? null
          : {
              sentence: `${words.settings.you}: ${words.settings.saved}`,
              undo: () => {
                kept.current = before;
                setDraft(before);
                mutate(before);
              },
            },
      );
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [draft, missing, mutate, mutateAsync, words]);
  const change = (what: Partial<Identity>): void => setDraft({ ...draft, ...what });
  return (
    <>
      <Field
        label={words.settings.name}
        voice="own"
        autoComplete="off"
        maxLength={200}
        value={draft.name}
        {...(missing ? { wrong: words.settings.nameMissing } : {})}
        onChange={(event) => change({ name: event.target.value })}
      />
      <Area
        label={words.settings.introduction}
        hint={words.settings.introductionHint}
        voice="own"
        rows={3}
        maxLength={4000}
        value={draft.introduction}
        onChange={(event) => change({ introduction: event.target.value })}
      />
      <Area
        label={words.voice.values}
        hint={words.voice.valuesHint}
        voice="own"
        rows={2}
        maxLength={4000}
        value={draft.values}
        onChange={(event) => change({ values: event.target.value })}
      />
      <Area
        label={words.settings.style}
        hint={words.settings.styleHint}
        voice="own"
        rows={2}
        maxLength={4000}
        value={draft.style}
        onChange={(event) => change({ style: event.target.value })}
      />
      <div className="pair">
        <Segmented
          label={words.voice.length}
          value={draft.length}
          choices={[
            ["short", words.voice.lengths.short],
            ["normal", words.voice.lengths.normal],
            ["full", words.voice.lengths.full],
          ]}
          onChange={(length) => change({ length })}
        />
        <Segmented
          label={words.voice.manner}
          value={draft.manner}
          choices={[
            ["usual", words.voice.manners.usual],
            ["plain", words.voice.manners.plain],
            ["warm", words.voice.manners.warm],
            ["formal", words.voice.manners.formal],
          ]}
          onChange={(manner) => change({ manner })}
        />
      </div>
      <p className="tiny faint">{words.voice.chosenFirst}</p>
      <fieldset className="langs">
        <legend className="label">{words.settings.languages}</legend>
        {Object.entries(words.settings.languageNames).map(([code, name]) => (
          <Check
            key={code}
            label={name}
            checked={draft.languages.includes(code)}
            onChange={(on) =>
              change({
                languages: on
                  ? [...draft.languages, code]
                  : draft.languages.filter((other) => other !== code),
              })
            }
          />
        ))}
      </fieldset>
      <p className="sec-foot tiny faint" role="status">
        {save.isPending ? words.settings.saving : save.isSuccess ? words.settings.saved : ""}
      </p>
      {save.isError ? <Trouble error={save.error} /> : null}
      <Preview identity={draft} />
      <Sound />
    </>
  );
}
