"use client";
import { useCounts } from "@/lib/api/library";
import type { Contact } from "@/lib/api/types";
import { later, today } from "@/lib/days";
import { usePeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Options } from "@/ui/choose";
import { Field } from "@/ui/field";
import { FORMS, KINDS, VERBS, type Draft, type Kind } from "./draft";
import type { Token } from "./words";

interface ChoicesProps {
  token: Token;
  draft: Draft;
  onChange: (changed: Partial<Draft>) => void;
  contacts: readonly Contact[];
  to: string;
  onTo: (id: string) => void;
}

const ENDS = { week: 7, month: 30, quarter: 90 } as const;
const LAST_DAY = 365;

/** What one part of the sentence can be. */
export function Choices({ token, draft, onChange, contacts, to, onTo }: ChoicesProps) {
  const t = usePeopleText();
  switch (token) {
    case "who":
      return (
        <OneOf
          name="who"
          value={to}
          choices={contacts.map(({ id, name }) => [id, name, ""])}
          onChange={onTo}
        />
      );
    case "verbs":
      return (
        <Options
          empty=""
          options={VERBS.map((verb) => ({ value: verb, words: t.give.verbs[verb] }))}
          chosen={draft.verbs}
          onChange={(chosen) => onChange({ verbs: VERBS.filter((verb) => chosen.includes(verb)) })}
        />
      );
    case "tags":
      return <Tags chosen={draft.tags} onChange={(tags) => onChange({ tags })} />;
    case "kinds":
      return (
        <Options
          empty=""
          options={KINDS.map((kind: Kind) => ({ value: kind, words: t.give.kinds[kind] }))}
          chosen={draft.kinds}
          onChange={(chosen) => onChange({ kinds: KINDS.filter((kind) => chosen.includes(kind)) })}
        />
      );
    case "time":
      return (
        <div className="give-fields">
          <Field
            label={t.give.sinceLabel}
            type="date"
            value={draft.since}
            max={draft.until}
            onChange={(event) => onChange({ since: event.target.value })}
          />
          <Field
            label={t.give.untilLabel}
            type="date"
            value={draft.until}
            min={draft.since}
            onChange={(event) => onChange({ until: event.target.value })}
          />
        </div>
      );
    case "form":
      return (
        <OneOf
          name="form"
          value={draft.form}
          choices={FORMS.map((form) => [form, t.give.form[form], t.give.formMeans[form]])}
          onChange={(form) => onChange({ form })}
        />
      );
    case "daily":
      return (
        <div className="give-fields">
          <Amount
            label={t.give.calls}
            value={draft.calls}
            most={10_000}
            onChange={(calls) => onChange({ calls })}
          />
          <Amount
            label={t.give.kilobytes}
            value={draft.kilobytes}
            most={1_000_000}
            onChange={(kilobytes) => onChange({ kilobytes })}
          />
          <Amount
            label={t.give.tokens}
            value={draft.tokens}
            most={10_000_000}
            onChange={(tokens) => onChange({ tokens })}
          />
        </div>
      );
    case "end":
      return (
        <div className="give-fields">
          <Field
            label={t.give.endLabel}
            type="date"
            value={draft.end}
            min={today()}
            max={later(today(), LAST_DAY)}
            onChange={(event) =>
              event.target.value === "" ? undefined : onChange({ end: event.target.value })
            }
          />
          <div className="row wrap">
            {(Object.keys(ENDS) as (keyof typeof ENDS)[]).map((span) => (
              <Button
                key={span}
                size="small"
                onClick={() => onChange({ end: later(today(), ENDS[span]) })}
              >
                {t.give.ends[span]}
              </Button>
            ))}
          </div>
        </div>
      );
    case "consent":
      return (
        <OneOf
          name="consent"
          value={draft.consent}
          choices={(["ask", "auto"] as const).map((consent) => [
            consent,
            t.give.consent[consent],
            t.give.consentMeans[consent],
          ])}
          onChange={(consent) => onChange({ consent })}
        />
      );
  }
}

/**
 * Tags of the library, the most used first. Private documents carry tags too; no grant reaches
 * those.
 */
function Tags({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (tags: readonly string[]) => void;
}) {
  const t = usePeopleText();
  const counts = useCounts({}).data?.tags ?? {};
  const known = Object.entries(counts).toSorted(([a, m], [b, n]) => n - m || a.localeCompare(b));
  return (
    <Options
      empty={t.give.noTagsThere}
      options={known.map(([value, count]) => ({ value, words: value, count }))}
      chosen={chosen}
      onChange={onChange}
    />
  );
}

interface OneOfProps<T extends string> {
  name: string;
  value: T;
  choices: readonly (readonly [T, string, string])[];
  onChange: (value: T) => void;
}

/** One of a few, each with what it means. */
function OneOf<T extends string>({ name, value, choices, onChange }: OneOfProps<T>) {
  return (
    <ul className="one-of">
      {choices.map(([choice, word, means]) => (
        <li key={choice}>
          <label>
            <input
              type="radio"
              name={`give-${name}`}
              checked={choice === value}
              onChange={() => onChange(choice)}
            />
            <b>{word}</b>
            <span>{means}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}

function Amount({
  label,
  value,
  most,
  onChange,
}: {
  label: string;
  value: number;
  most: number;
  onChange: (value: number) => void;
}) {
  return (
    <Field
      label={label}
      type="number"
      inputMode="numeric"
      min={0}
      max={most}
      value={value}
      onChange={(event) =>
        onChange(Math.min(most, Math.max(0, Math.round(Number(event.target.value) || 0))))
      }
    />
  );
}
