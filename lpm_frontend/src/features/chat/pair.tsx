"use client";
import { useMemo, type ReactNode } from "react";
import { useText } from "@/lib/i18n";
import { inOrder } from "./beside";
import { Byline } from "./byline";
import { notesOf, type Answer, type NoteOf } from "./exchanges";
import { Said } from "./said";

interface PairProps {
  /** The answer that is shown. */
  answer: Answer;
  /** The one beside it. */
  other: Answer;
  name: string;
  passages: number;
  /** What the shown one says, with the numbers that its notes stand level with. */
  children: ReactNode;
  onOpen: (note: NoteOf, all: readonly NoteOf[]) => void;
}

/** Two answers to one question, side by side, or one under the other where there is no room. */
export function Pair({ answer, other, name, passages, children, onOpen }: PairProps) {
  const text = useText();
  const { cited, others } = useMemo(() => notesOf(other), [other]);
  const pair = inOrder(answer, other);
  const titles =
    answer.voice === other.voice
      ? pair.map((_, at) => text.talk.variant(at + 1, pair.length))
      : pair.map((one) => (one.voice === "base" ? text.talk.base : text.talk.asYou));
  return (
    <div className="side-by-side">
      {pair.map((one, at) => (
        <section key={one === answer ? "shown" : "other"} aria-label={titles[at]}>
          <h3 className="label">{titles[at]}</h3>
          <Byline
            answer={one}
            name={name}
            passages={passages}
            cited={one === answer ? one.citations.length : cited.length}
          />
          {one === answer ? (
            children
          ) : (
            <Said
              answer={one}
              lit={null}
              onLight={() => undefined}
              onOpen={(n) => {
                const note = cited.find((candidate) => candidate.n === n);
                if (note) onOpen(note, [...cited, ...others]);
              }}
            />
          )}
        </section>
      ))}
    </div>
  );
}
