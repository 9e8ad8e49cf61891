"use client";
import { useText } from "@/lib/i18n";
import { plain } from "@/lib/plain";
import type { Part } from "@/lib/api/types";
import type { Answer } from "./exchanges";
import { completeSentences } from "./exchanges";
import { quoteClass } from "@/ui/evidence";
import { isLine } from "./say";

interface PartProps {
  part: Part;
  answer: Answer;
  lit: number | null;
  last: boolean;
  onLight: (n: number | null) => void;
  onOpen: (n: number) => void;
}

/** A sentence of the node, or a quotation of the person, with the numbers of what it rests on. */
export function PartOfAnswer({ part, answer, lit, last, onLight, onOpen }: PartProps) {
  const text = useText();
  const cited = answer.citations.find(({ n }) => n === part.citations[0]);
  const isLit = lit !== null && part.citations.includes(lit);
  const writing = last && answer.phase === "writing";
  const chips = part.citations.map((n) => {
    const citation = answer.citations.find((candidate) => candidate.n === n);
    return (
      <button
        key={n}
        type="button"
        className={lit === n ? "c cite at" : "c cite"}
        aria-label={text.chat.cite(n, citation?.title ?? "")}
        onMouseEnter={() => onLight(n)}
        onMouseLeave={() => onLight(null)}
        onFocus={() => onLight(n)}
        onBlur={() => onLight(null)}
        onClick={() => onOpen(n)}
      >
        {n}
      </button>
    );
  });
  // The word joiner keeps a number from being parted from its sentence.
  const body = (
    <>
      <span className={isLit ? "lit" : undefined}>
        {part.kind === "quotation" ? plain(part.text) : part.text.trim()}
      </span>
      {chips.length > 0 ? "\u2060" : null}
      {chips}
      {writing ? <span className="caret" aria-hidden="true" /> : null}
    </>
  );
  switch (part.kind) {
    case "quotation":
      return (
        <blockquote className={`${quoteClass(cited?.author ?? null, true)} said`}>
          <p>{body}</p>
        </blockquote>
      );
    case "statement":
      return <p className={isLine(answer.parts, part) ? "ans line" : "ans"}>{body}</p>;
    case "note":
      return <p className="ans mute">{body}</p>;
    case "role":
      return <p className="ans played">{body}</p>;
  }
}

/** Says the answer aloud sentence by sentence while it is being written. */
export function Announcer({ answer }: { answer: Answer }) {
  const writing =
    answer.phase === "writing" || answer.phase === "reading" || answer.phase === "looking";
  const sentences = answer.parts.flatMap((part, index) => {
    const whole = !writing || index < answer.parts.length - 1;
    return whole ? [part.text.trim()] : completeSentences(part.text);
  });
  return (
    <div className="sr" aria-live="polite" aria-relevant="additions">
      {sentences.map((sentence, index) => (
        <p key={`${index} ${sentence.length}`}>{sentence}</p>
      ))}
    </div>
  );
}
