"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { namesQuery } from "@/lib/api/recall";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { STATEMENT_KINDS } from "@/lib/statement";
import { Choose, Options } from "@/ui/choose";
import { Field } from "@/ui/field";
import type { MemoryWish } from "./wish";

interface FiltersProps {
  wish: MemoryWish;
  /** Whom the statements that are shown are about. */
  known: readonly string[];
  onChange: (change: Partial<MemoryWish>) => void;
}

/**
 * While a year is being typed it is the year 2, or 20: nobody means that, and the field would be
 * drawn anew under the hand.
 */
const dayTyped = (value: string): string => (value < EARLIEST ? "" : value);
const EARLIEST = "1900-01-01";

/** What narrows it down: the kind, whom it is about, and the day whose beliefs are shown. */
export function Filters({ wish, known, onChange }: FiltersProps) {
  const text = useText();
  const language = useLanguage();
  const [name, setName] = useState("");
  const [asking, setAsking] = useState(false);
  const typed = name.trim();
  const named = useQuery({ ...namesQuery(typed), enabled: asking }).data?.items ?? [];
  const names = [
    ...new Set([
      ...(wish.about === "" ? [] : [wish.about]),
      ...known.filter((each) => each.toLocaleLowerCase().includes(typed.toLocaleLowerCase())),
      ...named.map((each) => each.name),
    ]),
  ];
  return (
    <div className="memory-filters" role="group" aria-label={text.shelves.filters}>
      <Choose
        label={text.statements.kind}
        chosen={wish.kinds.map((kind) => text.statements.names[kind]).join(", ")}
      >
        <Options
          empty=""
          options={STATEMENT_KINDS.map((value) => ({ value, words: text.statements.names[value] }))}
          chosen={wish.kinds}
          onChange={(kinds) =>
            onChange({ kinds: STATEMENT_KINDS.filter((kind) => kinds.includes(kind)) })
          }
        />
      </Choose>
      <Choose label={text.memory.about} chosen={wish.about} onOpen={() => setAsking(true)}>
        <div className="choose-form">
          <Field
            label={text.memory.aboutFind}
            className="quiet-label"
            placeholder={text.memory.aboutFind}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <Options
          single
          empty={text.shelves.nothingToChoose}
          options={names.slice(0, 40).map((value) => ({ value, words: value }))}
          chosen={wish.about === "" ? [] : [wish.about]}
          onChange={([about = ""]) => onChange({ about })}
        />
      </Choose>
      <Choose
        label={text.memory.then}
        chosen={wish.then === "" ? "" : formatDate(wish.then, language)}
      >
        <div className="choose-form">
          <Field
            label={text.memory.then}
            hint={text.memory.thenHint}
            type="date"
            defaultValue={wish.then}
            max={new Date().toLocaleDateString("sv")}
            onChange={(event) => onChange({ then: dayTyped(event.target.value), forgotten: false })}
          />
        </div>
      </Choose>
      <button
        type="button"
        className="link"
        aria-pressed={wish.forgotten}
        onClick={() => onChange({ forgotten: !wish.forgotten, then: "" })}
      >
        {text.memory.forgottenOnes}
      </button>
    </div>
  );
}
