"use client";
import { useId } from "react";
import type { Conversation } from "@/lib/api/types";
import { useText } from "@/lib/i18n";

export type Keeping = NonNullable<Conversation["keeping"]>;

const ALL: readonly Keeping[] = ["full", "summary", "none"];

interface KeepingChoiceProps {
  value: Keeping;
  /** What is kept now, where that may differ from what is chosen. */
  active?: Keeping;
  onChange: (keeping: Keeping) => void;
}

/** One of what a conversation may keep, each with what it means. */
export function KeepingChoice({ value, active, onChange }: KeepingChoiceProps) {
  const text = useText();
  const id = useId();
  return (
    <fieldset className="choices">
      <legend className="sr">{text.keeping.title}</legend>
      {ALL.map((keeping) => (
        <div key={keeping} className={value === keeping ? "choice on" : "choice"}>
          <label>
            <input
              type="radio"
              name={id}
              checked={value === keeping}
              aria-describedby={`${id}-${keeping}`}
              onChange={() => onChange(keeping)}
            />
            <span>{text.keeping.names[keeping]}</span>
            {active === keeping ? <span className="now">{text.keeping.now}</span> : <span />}
            <span id={`${id}-${keeping}`} className="tiny faint">
              {text.keeping.means[keeping]}
            </span>
          </label>
        </div>
      ))}
    </fieldset>
  );
}
