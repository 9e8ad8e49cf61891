/** The source that is read beside a conversation. */
import { useCallback, useState } from "react";
import type { NoteOf } from "./exchanges";

/** A source that is read, among which, and where one came from to read it. */
interface Opened {
  readonly conversation: string;
  readonly note: NoteOf;
  readonly all: readonly NoteOf[];
  readonly from: HTMLElement | null;
}

export function useReaderPane(id: string) {
  const [chosen, setChosen] = useState<Opened | null>(null);
  // What was opened in another conversation stays there.
  const opened = chosen?.conversation === id ? chosen : null;
  const open = useCallback(
    (note: NoteOf, all: readonly NoteOf[]): void => {
      const from = document.activeElement;
      setChosen({ conversation: id, note, all, from: from instanceof HTMLElement ? from : null });
    },
    [id],
  );
  /** Go on to the next source or back to the one before; at either end nothing happens. */
  const step = useCallback((by: 1 | -1): void => {
    setChosen((now) => {
      if (!now) return now;
      const next = now.all[now.all.findIndex((note) => note.key === now.note.key) + by];
      return next ? { ...now, note: next } : now;
    });
  }, []);
  const putAway = useCallback((): void => setChosen(null), []);
  /** Put it away and go back to where one came from. */
  const close = useCallback((): void => {
    setChosen(null);
    opened?.from?.focus();
  }, [opened]);
  return { opened, open, step, putAway, close };
}
