"use client";
import { LockKeyhole } from "lucide-react";
import type { Ref } from "react";
import { useText } from "@/lib/i18n";
import { plain } from "@/lib/plain";
import { asTyped, CiteNumber, Quote, SignalBars, SourceLine, placeOf } from "@/ui/evidence";
import { Icon } from "@/ui/icon";
import type { NoteOf } from "./exchanges";

interface NoteProps {
  note: NoteOf;
  question: string;
  lit: boolean;
  why: boolean;
  /** Show the file line alone: the words stand in the answer itself. */
  brief?: boolean;
  onLight: (n: number | null) => void;
  onOpen: (note: NoteOf) => void;
  ref?: Ref<HTMLElement>;
}

/** One source: its number, the words that stand there, and where. Press it, and the original opens at that place. */
export function Note({ note, question, lit, why, brief = false, onLight, onOpen, ref }: NoteProps) {
  const text = useText();
  return (
    <article
      ref={ref}
      className={["note", lit && "lit-note", note.n === null && "loose"].filter(Boolean).join(" ")}
      data-note={note.n ?? undefined}
    >
      {note.n === null ? <span className="dot" aria-hidden="true" /> : <CiteNumber n={note.n} lit={lit} />}
      {brief ? null : (
        <div className="note-words">
          <Quote>{plain(note.quote)}</Quote>
        </div>
      )}
      <div className="note-place">
        <SourceLine title={note.title} kind={note.documentKind} place={placeOf(note, text.evidence.page)} />
        {note.sealed ? (
          <span className="chip">
            <Icon of={LockKeyhole} />
            {text.evidence.sealed}
          </span>
        ) : null}
      </div>
      {why && note.item?.signals ? <SignalBars signals={note.item.signals} matched={asTyped(note.item.matched, question)} /> : null}
      <button
        type="button"
        className="stretch"
        aria-label={note.n === null ? `${note.title}: ${text.evidence.open}` : text.chat.cite(note.n, note.title)}
        onMouseEnter={() => onLight(note.n)}
        onMouseLeave={() => onLight(null)}
        onFocus={() => onLight(note.n)}
        onBlur={() => onLight(null)}
        onClick={() => onOpen(note)}
      />
    </article>
  );
}
