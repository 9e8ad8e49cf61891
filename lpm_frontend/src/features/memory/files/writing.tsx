"use client";
import { useState } from "react";
import { useGoBack, useWriting, type Writing } from "@/lib/api/workspace";
import { useFilesText } from "@/lib/i18n/files";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Area } from "@/ui/field";

/** Write into a file, and offer the wording that it had before. */
export function useUndoableWriting() {
  const writing = useWriting();
  const { mutate: goBack } = useGoBack();
  const write = (what: Writing, sentence: string, then: () => void = () => undefined): void =>
    offerUndoWhen(writing.mutateAsync(what), (made) => {
      then();
      return { sentence, undo: () => goBack(made) };
    });
  return { write, busy: writing.isPending, error: writing.error };
}

interface WordsFieldProps {
  label: string;
  action: string;
  said?: string;
  rows?: number;
  maxLength: number;
  busy: boolean;
  onWrite: (words: string) => void;
  onLeave: () => void;
}

/** Words of one's own, written where one asked to. */
export function WordsField({
  label,
  action,
  said = "",
  rows = 2,
  maxLength,
  busy,
  onWrite,
  onLeave,
}: WordsFieldProps) {
  const t = useFilesText();
  const [words, setWords] = useState(said);
  return (
    <form
      className="mend"
      onSubmit={(event) => {
        event.preventDefault();
        if (words.trim() !== "" && words !== said) onWrite(words);
      }}
    >
      <Area
        label={label}
        voice="own"
        rows={rows}
        maxLength={maxLength}
        // One pressed a button to write here.
        // eslint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <div className="row">
        <Button
          size="small"
          tone="ink"
          type="submit"
          disabled={busy || words.trim() === "" || words === said}
        >
          {action}
        </Button>
        <Button size="small" tone="quiet" onClick={onLeave}>
          {t.files.leave}
        </Button>
      </div>
    </form>
  );
}
