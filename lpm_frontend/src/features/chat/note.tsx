"use client";
import { LockKeyhole } from "lucide-react";
import { useState, type Ref } from "react";
import { useDeciding } from "@/lib/deciding";
import { useText } from "@/lib/i18n";
import { plain } from "@/lib/plain";
import {
  asTyped,
  AuthorName,
  CiteNumber,
  Quote,
  SignalBars,
  SourceLine,
  placeOf,
} from "@/ui/evidence";
import { Icon } from "@/ui/icon";
import { MendForm } from "@/ui/mend";
import { useReturn } from "@/ui/return";
import { Standing } from "@/ui/standing";
import { Sure } from "@/ui/sure";
import { Trouble } from "@/ui/trouble";
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

/**
 * One source: its number, the words that stand there, and where. Press it, and the original opens
 * at that place.
 */
export function Note({ note, question, lit, why, brief = false, onLight, onOpen, ref }: NoteProps) {
  const text = useText();
  return (
    <article
      ref={ref}
      className={["note", lit && "lit-note", note.n === null && "loose"].filter(Boolean).join(" ")}
      data-note={note.n ?? undefined}
    >
      {note.n === null ? (
        <span className="dot" aria-hidden="true" />
      ) : (
        <CiteNumber n={note.n} lit={lit} />
      )}
      {brief ? null : (
        <div className="note-words">
          <Quote author={note.author}>{plain(note.quote)}</Quote>
        </div>
      )}
      <div className="note-place">
        <Standing of={note.kind} />
        <AuthorName author={note.author} />
        <SourceLine
          title={note.title || text.chat.untitled}
          kind={note.documentKind}
          place={placeOf(note, text)}
        />
        {note.confidence === null ? null : <Sure confidence={note.confidence} />}
        {note.private && note.saidIn === null ? (
          <span className="chip">
            <Icon of={LockKeyhole} />
            {text.evidence.private}
          </span>
        ) : null}
      </div>
      {note.n === null || note.saidIn ? null : <Put note={note} />}
      {why && note.item?.signals ? (
        <SignalBars signals={note.item.signals} matched={asTyped(note.item.matched, question)} />
      ) : null}
      <button
        type="button"
        className="stretch"
        aria-label={
          note.n === null
            ? `${note.title}: ${text.evidence.open}`
            : text.chat.cite(note.n, note.title)
        }
        onMouseEnter={() => onLight(note.n)}
        onMouseLeave={() => onLight(null)}
        onFocus={() => onLight(note.n)}
        onBlur={() => onLight(null)}
        onClick={() => onOpen(note)}
      />
    </article>
  );
}

/** Put right what stands there, or have no answer rest on it. */
function Put({ note }: { note: NoteOf }) {
  const text = useText();
  const { settle, done, busy, error } = useDeciding();
  const [mending, setMending] = useState(false);
  // Who left the field goes on from the button that opened it.
  const back = useReturn(mending);
  // What was written is decided: taken back, the buttons are there again.
  if (mending && done !== null) setMending(false);
  if (done) {
    return (
      <p className="note-put" role="status">
        {text.findings.did[done.verdict]}{" "}
        {done.content === "" ? null : <span className="own">{done.content}</span>}
      </p>
    );
  }
  if (note.struck) return <p className="note-put">{text.talk.struck}</p>;
  return (
    <div className={mending ? "note-put mending" : "note-put"}>
      {mending ? (
        <MendForm
          said={plain(note.quote)}
          busy={busy}
          onMend={(content) => settle(note, "mend", content)}
          onLeave={() => setMending(false)}
        />
      ) : (
        <>
          <button type="button" className="link tiny" ref={back} onClick={() => setMending(true)}>
            {text.findings.mend}
          </button>
          <button
            type="button"
            className="link tiny"
            disabled={busy}
            onClick={() => settle(note, "forget")}
          >
            {text.findings.forget}
          </button>
        </>
      )}
      {error === null ? null : <Trouble error={error} />}
    </div>
  );
}
