"use client";
import type { ReactNode } from "react";
import { PartOfAnswer } from "./answer";
import type { Answer } from "./exchanges";
import { isMarkdown, placeOfNote } from "./say";
import { Written } from "./written";

interface SaidProps {
  answer: Answer;
  lit: number | null;
  onLight: (n: number | null) => void;
  onOpen: (n: number) => void;
  /** Notes that fold under a part: those it is the first to rest on, by their numbers. */
  notes?: (numbers: readonly number[], quoted: boolean) => ReactNode;
  /** The notes of the margin stand level with these parts. */
  levelled?: boolean;
}

/** What an answer says, part by part. */
export function Said({ answer, lit, onLight, onOpen, notes, levelled = false }: SaidProps) {
  return groupsOf(answer.parts).map((group) => (
    <div
      key={group.from}
      className="part"
      {...(levelled
        ? { "data-cites": group.parts.flatMap((part) => part.citations).join(" ") }
        : {})}
    >
      {group.markdown ? (
        <Written parts={group.parts} answer={answer} lit={lit} onLight={onLight} onOpen={onOpen} />
      ) : (
        group.parts.map((part) => (
          <PartOfAnswer
            key={group.from}
            part={part}
            answer={answer}
            lit={lit}
            last={group.from === answer.parts.length - 1}
            onLight={onLight}
            onOpen={onOpen}
          />
        ))
      )}
      {notes
        ? group.parts.map((part, index) =>
            notes(
              part.citations.filter((n) => placeOfNote(answer.parts, n) === group.from + index),
              part.kind === "quotation",
            ),
          )
        : null}
    </div>
  ));
}

/**
 * Parts as they are drawn: sentences that belong to one piece of Markdown together, each other part
 * by itself.
 */
function groupsOf(
  parts: Answer["parts"],
): readonly { from: number; parts: Answer["parts"]; markdown: boolean }[] {
  const groups: { from: number; parts: Answer["parts"][number][]; markdown: boolean }[] = [];
  for (const [index, part] of parts.entries()) {
    const markdown = part.kind === "statement" && isMarkdown(part.text);
    const last = groups.at(-1);
    if (markdown && last?.markdown) last.parts.push(part);
    else groups.push({ from: index, parts: [part], markdown });
  }
  return groups;
}
