"use client";
/** What the model was given for an answer besides what was found: the part of the margin below. */
import Link from "next/link";
import { useState } from "react";
import { useInMind } from "@/lib/api/conversations";
import type { InMind as Lines } from "@/lib/api/types";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { plain } from "@/lib/plain";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import type { Answer, NoteOf } from "./exchanges";

type Line = Lines["items"][number];

/** Lines by what they stand for, in the order in which the model read them. */
export function byKind(lines: readonly Line[]): ReadonlyMap<Line["kind"], readonly Line[]> {
  const kinds = new Map<Line["kind"], Line[]>();
  for (const line of lines) kinds.set(line.kind, [...(kinds.get(line.kind) ?? []), line]);
  return kinds;
}

interface InMindProps {
  conversation: string;
  answer: Pick<Answer, "id" | "inMind">;
  /** What was told lately in other conversations. */
  lately: readonly NoteOf[];
}

/** Where else the words of a prompt came from: recent conversations, and the profile. */
export function InMind({ conversation, answer, lately }: InMindProps) {
  const text = useText();
  const [open, setOpen] = useState(false);
  if (answer.id === "" || (lately.length === 0 && answer.inMind === 0)) return null;
  return (
    <div className="rel in-mind" role="group" aria-label={text.talk.inMind.label}>
      <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? text.talk.inMind.hide : text.talk.inMind.given(lately.length, answer.inMind)}
      </button>
      {open && lately.length > 0 ? <Recent notes={lately} /> : null}
      {open && answer.inMind > 0 ? (
        <OfProfile conversation={conversation} turn={answer.id} />
      ) : null}
    </div>
  );
}

function Recent({ notes }: { notes: readonly NoteOf[] }) {
  const text = useText();
  const language = useLanguage();
  return (
    <>
      <h3 className="label">{text.talk.inMind.recent}</h3>
      <ul className="in-mind-recent">
        {notes.map((note) => {
          const words = <span className="own">{plain(note.quote)}</span>;
          const at = note.item?.timestamp;
          const place = [note.title || text.chat.untitled, at ? formatDate(at, language) : ""];
          const where = <span className="tiny faint">{place.filter(Boolean).join(" · ")}</span>;
          return (
            <li key={note.key}>
              {note.saidIn ? (
                <Link
                  href={`/?${new URLSearchParams({
                    id: note.saidIn.conversation,
                    ...(note.saidIn.turn === null ? {} : { turn: note.saidIn.turn }),
                  }).toString()}`}
                >
                  {words}
                  {where}
                </Link>
              ) : (
                <>
                  {words}
                  {where}
                </>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

function OfProfile({ conversation, turn }: { conversation: string; turn: string }) {
  const text = useText();
  const t = text.talk.inMind;
  const query = useInMind(conversation, turn);
  return (
    <>
      <h3 className="label">{t.profile}</h3>
      {query.isError && !query.data ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading words={t.loading} lines={2} />
      ) : (
        <>
          <dl className="in-mind-lines">
            {[...byKind(query.data.items)].map(([kind, lines]) => (
              <div key={kind}>
                <dt>{t.kinds[kind]}</dt>
                {lines.map(({ line, name }) => (
                  <dd key={line}>
                    <Link
                      className="own link"
                      href={`/memory?${new URLSearchParams({ view: "profile", line }).toString()}`}
                    >
                      {name}
                    </Link>
                  </dd>
                ))}
              </div>
            ))}
          </dl>
          {query.data.gone > 0 ? <p className="tiny faint">{t.gone(query.data.gone)}</p> : null}
        </>
      )}
    </>
  );
}
