"use client";
import type { KeyboardEvent } from "react";
import { useText } from "@/lib/i18n";
import { Button } from "@/ui/button";
import { Area } from "@/ui/field";

/** The field takes the place of the button that was pressed. */
const focusOnce = (node: HTMLTextAreaElement | null): void => {
  if (node && document.activeElement !== node && node.dataset["seen"] === undefined) {
    node.dataset["seen"] = "";
    node.focus();
  }
};

interface RewordingProps {
  label: string;
  /** Hide the label from sight; it still names the field. */
  quiet?: boolean;
  hint?: string;
  /** What keeps the words. */
  keep: string;
  words: string;
  maxLength?: number;
  /**
   * Enter keeps the words, and Shift with it begins a line; otherwise Enter begins one, and Ctrl or
   * ⌘ with it keeps them.
   */
  oneLine?: boolean;
  onWords: (words: string) => void;
  onKeep: () => void;
  onLeave: () => void;
}

/**
 * Words of the person for something that stands there already: a question asked differently, an
 * answer said better. Escape leaves it as it was.
 */
export function Rewording({
  label,
  quiet = false,
  hint,
  keep,
  words,
  maxLength,
  oneLine = false,
  onWords,
  onKeep,
  onLeave,
}: RewordingProps) {
  const text = useText();
  const press = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      onLeave();
    } else if (
      event.key === "Enter" &&
      (oneLine ? !event.shiftKey : event.ctrlKey || event.metaKey)
    ) {
      event.preventDefault();
      event.currentTarget.form?.requestSubmit();
    }
  };
  return (
    <form
      className="reask"
      onSubmit={(event) => {
        event.preventDefault();
        onKeep();
      }}
    >
      <Area
        quiet={quiet}
        label={label}
        voice="own"
        rows={oneLine ? 1 : 2}
        {...(hint === undefined ? {} : { hint })}
        {...(maxLength === undefined ? {} : { maxLength })}
        value={words}
        ref={focusOnce}
        onChange={(event) => onWords(event.target.value)}
        onKeyDown={press}
      />
      <div className="row">
        <Button tone="ink" size="small" type="submit">
          {keep}
        </Button>
        <Button tone="quiet" size="small" onClick={onLeave}>
          {text.talk.editNot}
        </Button>
      </div>
    </form>
  );
}
