"use client";
import { useState, type SyntheticEvent } from "react";
import { useTrainingText } from "@/lib/i18n/training";
import { Button } from "@/ui/button";
import { Area, Field } from "@/ui/field";
import { Trouble } from "@/ui/trouble";

interface OwnWordsProps<Name extends string> {
  title: string;
  /** What is written besides the question, with its label. */
  answers: readonly (readonly [Name, string])[];
  busy: boolean;
  error: Error | null;
  /** Add it; call `done` when it is kept, which empties the form. */
  onAdd: (words: Readonly<Record<Name | "question", string>>, done: () => void) => void;
}

/** A question, and how the person wants it answered, in words of their own. */
export function OwnWords<Name extends string>(props: OwnWordsProps<Name>) {
  const { title, answers, busy, error, onAdd } = props;
  const t = useTrainingText();
  const nothing = Object.fromEntries(
    ["question", ...answers.map(([name]) => name)].map((name) => [name, ""]),
  ) as Record<Name | "question", string>;
  const [words, setWords] = useState(nothing);
  const trimmed = Object.fromEntries(
    Object.entries<string>(words).map(([name, value]) => [name, value.trim()]),
  ) as typeof words;
  const add = (event: SyntheticEvent): void => {
    event.preventDefault();
    onAdd(trimmed, () => setWords(nothing));
  };
  return (
    <form className="own-row" aria-label={title} onSubmit={add}>
      <h3 className="label">{title}</h3>
      <Field
        label={t.rows.question}
        voice="own"
        maxLength={2000}
        value={words.question}
        onChange={(event) => setWords({ ...words, question: event.target.value })}
      />
      {answers.map(([name, label]) => (
        <Area
          key={name}
          label={label}
          voice="own"
          maxLength={4000}
          rows={2}
          value={words[name]}
          onChange={(event) => setWords({ ...words, [name]: event.target.value })}
        />
      ))}
      <div>
        <Button
          size="small"
          type="submit"
          disabled={busy || Object.values<string>(trimmed).includes("")}
        >
          {t.rows.addDo}
        </Button>
      </div>
      {error === null ? null : <Trouble error={error} />}
    </form>
  );
}
