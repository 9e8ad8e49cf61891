"use client";
import { useEffect, useRef, useState } from "react";
import { useIdentity, useSaveIdentity } from "@/lib/api/identity";
import type { Identity } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { offerUndo } from "@/lib/undo";
import { Loading } from "@/ui/faces";
import { Area, Check, Field, Segmented } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { Preview } from "./preview";
import { Section } from "./section";

/** Who the node is the second self of. Saved as you change, with a way back. */
export function You() {
  const text = useText();
  const query = useIdentity();
  return (
    <Section id="you" title={text.settings.you} lead={text.settings.youLead}>
      {query.data ? <Form identity={query.data} /> : query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : <Loading words={text.settings.loading} />}
    </Section>
  );
}

const REST_MS = 700;

function Form({ identity }: { identity: Identity }) {
  const text = useText();
  const save = useSaveIdentity();
  const { mutate } = save;
  const [draft, setDraft] = useState(identity);
  const kept = useRef(identity);
  const missing = draft.name.trim() === "";
  // Saved a moment after the last key, and when a field is left.
  useEffect(() => {
    if (missing || JSON.stringify(draft) === JSON.stringify(kept.current)) return undefined;
    const timer = setTimeout(() => {
      const before = kept.current;
      kept.current = draft;
      mutate(draft, {
        onSuccess: () => {
          if (before.name !== "") {
            offerUndo({
              sentence: `${text.settings.you}: ${text.settings.saved}`,
              undo: () => {
                kept.current = before;
                setDraft(before);
                mutate(before);
              },
            });
          }
        },
      });
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [draft, missing, mutate, text]);
  const change = (what: Partial<Identity>): void => setDraft({ ...draft, ...what });
  return (
    <>
      <Field label={text.settings.name} voice="own" autoComplete="off" maxLength={200} value={draft.name} {...(missing ? { wrong: text.settings.nameMissing } : {})} onChange={(event) => change({ name: event.target.value })} />
      <Area label={text.settings.introduction} hint={text.settings.introductionHint} voice="own" rows={3} maxLength={4000} value={draft.introduction} onChange={(event) => change({ introduction: event.target.value })} />
      <Area label={text.voice.values} hint={text.voice.valuesHint} voice="own" rows={2} maxLength={4000} value={draft.values} onChange={(event) => change({ values: event.target.value })} />
      <Area label={text.settings.style} hint={text.settings.styleHint} voice="own" rows={2} maxLength={4000} value={draft.style} onChange={(event) => change({ style: event.target.value })} />
      <div className="pair">
        <Segmented
          label={text.voice.length}
          value={draft.length}
          choices={[
            ["short", text.voice.lengths.short],
            ["normal", text.voice.lengths.normal],
            ["full", text.voice.lengths.full],
          ]}
          onChange={(length) => change({ length })}
        />
        <Segmented
          label={text.voice.manner}
          value={draft.manner}
          choices={[
            ["usual", text.voice.manners.usual],
            ["plain", text.voice.manners.plain],
            ["warm", text.voice.manners.warm],
            ["formal", text.voice.manners.formal],
          ]}
          onChange={(manner) => change({ manner })}
        />
      </div>
      <p className="tiny faint">{text.voice.chosenFirst}</p>
      <fieldset className="langs">
        <legend className="label">{text.settings.languages}</legend>
        {Object.entries(text.settings.languageNames).map(([code, name]) => (
          <Check key={code} label={name} checked={draft.languages.includes(code)} onChange={(on) => change({ languages: on ? [...draft.languages, code] : draft.languages.filter((other) => other !== code) })} />
        ))}
      </fieldset>
      <p className="sec-foot tiny faint" role="status">
        {save.isPending ? text.settings.saving : save.isSuccess ? text.settings.saved : ""}
      </p>
      {save.isError ? <Trouble error={save.error} /> : null}
      <Preview identity={draft} />
    </>
  );
}
