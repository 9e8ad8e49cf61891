"use client";
import { Check, PenLine, X } from "lucide-react";
import { useState } from "react";
import { useJudge } from "@/lib/api/conversations";
import type { Judgement } from "@/lib/api/types";
import { useDeciding } from "@/lib/deciding";
import { useText } from "@/lib/i18n";
import { IconButton } from "@/ui/button";
import { useReturn } from "@/ui/return";
import { Trouble } from "@/ui/trouble";
import type { Answer, NoteOf } from "./exchanges";
import { Rewording } from "./rewording";

/** Longer wordings are refused by the node; what is right is a statement. */
const MOST_SAID = 20_000;
const MOST_RIGHT = 2_000;

/**
 * What the person says of an answer: kept with it, to learn from. Who says that it is not right is
 * asked at once what is; the verdict stands without it.
 */
export function Judging({
  conversation,
  answer,
  cited,
}: {
  conversation: string;
  answer: Answer;
  cited: readonly NoteOf[];
}) {
  const text = useText();
  const judge = useJudge(conversation);
  const [draft, setDraft] = useState<{ of: "wrong" | "better"; words: string } | null>(null);
  const wrong = useReturn(draft?.of === "wrong");
  const better = useReturn(draft?.of === "better");
  const verdict = answer.verdict?.verdict;
  const said = answer.verdict?.better ?? "";
  const say = (judgement: Judgement | null): void => judge.mutate({ turn: answer.id, judgement });
  const sayRight = (): void => {
    setDraft(null);
    say(verdict === "right" ? null : { verdict: "right", better: "" });
  };
  const sayWrong = (): void => {
    setDraft(verdict === "wrong" ? null : { of: "wrong", words: "" });
    say(verdict === "wrong" ? null : { verdict: "wrong", better: "" });
  };
  const sayBetter = (): void =>
    setDraft(
      draft?.of === "better"
        ? null
        : { of: "better", words: said || answer.parts.map((part) => part.text.trim()).join(" ") },
    );
  const keep = (of: "wrong" | "better", words: string): void => {
    setDraft(null);
    if (words !== "" || of === "better") say(words === "" ? null : { verdict: of, better: words });
  };
  return (
    <div className="judging">
      <div className="row wrap" role="group" aria-label={text.talk.verdict}>
        <IconButton
          icon={Check}
          label={text.talk.right}
          worded
          aria-pressed={verdict === "right"}
          onClick={sayRight}
        />
        <IconButton
          ref={wrong}
          icon={X}
          label={text.talk.wrong}
          worded
          aria-pressed={verdict === "wrong"}
          aria-expanded={draft?.of === "wrong"}
          onClick={sayWrong}
        />
        <IconButton
          ref={better}
          icon={PenLine}
          label={text.talk.better}
          worded
          aria-pressed={verdict === "better"}
          aria-expanded={draft?.of === "better"}
          onClick={sayBetter}
        />
      </div>
      {judge.isError ? <Trouble error={judge.error} /> : null}
      {draft !== null ? (
        <Rewording
          key={draft.of}
          label={draft.of === "wrong" ? text.talk.wrongLabel : text.talk.betterLabel}
          {...(draft.of === "wrong" ? { hint: text.talk.wrongHint } : {})}
          keep={draft.of === "wrong" ? text.talk.wrongKeep : text.talk.betterKeep}
          words={draft.words}
          maxLength={draft.of === "wrong" ? MOST_RIGHT : MOST_SAID}
          onWords={(words) => setDraft({ ...draft, words })}
          onKeep={() => keep(draft.of, draft.words.trim())}
          onLeave={() => setDraft(null)}
        />
      ) : said === "" ? null : (
        <figure className="bettered">
          <figcaption className="label">
            {verdict === "wrong" ? text.talk.wrongSaid : text.talk.betterSaid}
          </figcaption>
          <blockquote className="q">{said}</blockquote>
          {verdict === "wrong" ? <Sources cited={cited} /> : null}
        </figure>
      )}
    </div>
  );
}

/**
 * What is right is known from now on; what this answer rested on is struck where it is wrong, one
 * by one.
 */
function Sources({ cited }: { cited: readonly NoteOf[] }) {
  const text = useText();
  const { settle, busy, error } = useDeciding();
  const standing = cited.filter((note) => !note.struck);
  if (standing.length === 0) return null;
  return (
    <div className="put-right small">
      <p className="faint">{text.talk.wrongNext}</p>
      {standing.map((note) => (
        <p key={note.key}>
          <button
            type="button"
            className="link"
            disabled={busy}
            onClick={() => settle(note, "forget")}
          >
            {text.talk.wrongForget(note.n ?? 0, note.title)}
          </button>
        </p>
      ))}
      {error === null ? null : <Trouble error={error} />}
    </div>
  );
}
