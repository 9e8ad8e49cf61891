"use client";
import { X } from "lucide-react";
import { Icon } from "./icon";

export interface Chip {
  readonly key: string;
  readonly words: string;
  /** The name of the button that takes it away. */
  readonly remove: string;
  readonly onRemove: () => void;
}

/** What is set, each with a way to take it off. */
export function Chips({ chips }: { chips: readonly Chip[] }) {
  if (chips.length === 0) return null;
  return (
    <ul className="chips">
      {chips.map(({ key, words, remove, onRemove }) => (
        <li key={key} className="chip">
          <span className="clip">{words}</span>
          <button
            type="button"
            className="chip-x"
            aria-label={remove}
            title={remove}
            onClick={onRemove}
          >
            <Icon of={X} />
          </button>
        </li>
      ))}
    </ul>
  );
}
