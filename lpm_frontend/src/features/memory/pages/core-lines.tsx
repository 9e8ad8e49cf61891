"use client";
import { useRef, useState, type KeyboardEvent } from "react";
import { useCoreLines, useDecideCore, useUndecideCore } from "@/lib/api/reflections";
import type { CoreLine, DiffLine } from "@/lib/api/types";
import { useLivesText } from "@/lib/i18n/lives";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Area } from "@/ui/field";
import { useLetters } from "@/ui/letters";
import { useReturn } from "@/ui/return";
import { useStay } from "@/ui/stay";
import { Trouble } from "@/ui/trouble";
import { BeforeAfter } from "../files/diff";
import { Rests } from "../statements/rests";

/** More than two proposals at once nobody weighs. */
const FEW = 2;
/** A line of `memory.md` as the node takes it. */
const MOST_LINE = 400;
const oneLine = (words: string): string => words.split(/\s+/u).join(" ").trim();

/**
 * Lines that could stand in `memory.md`, each as the change to the file that it would be; nothing
 * is written there unasked.
 */
export function CoreLines() {
  const items = useCoreLines().data?.items ?? [];
  return items.length === 0 ? null : <Proposed items={items} />;
}

function Proposed({ items }: { items: readonly CoreLine[] }) {
  const t = useLivesText();
  const decide = useDecideCore();
  const undecide = useUndecideCore();
  const list = useStay<HTMLElement>(
    items.map(({ id }) => id),
    decide.isPending,
  );
  const say = ({ id, line }: CoreLine, accept: boolean, words: string): void =>
    offerUndoWhen(
      decide.mutateAsync({ id, accept, ...(accept && words !== line ? { line: words } : {}) }),
      () => ({
        sentence: accept ? t.core.took : t.core.turned,
        undo: () => undecide.mutate({ id, line: accept ? words : "" }),
      }),
    );
  const error = decide.error ?? undecide.error;
  return (
    <section className="found-today wide" aria-label={t.core.title} ref={list}>
      <h2>{t.core.title}</h2>
      <p className="small mute">{t.core.lead}</p>
      {error === null ? null : <Trouble error={error} />}
      {items.slice(0, FEW).map((each) => (
        <Proposal
          key={each.id}
          proposed={each}
          busy={decide.isPending}
          onSay={(accept, words) => say(each, accept, words)}
        />
      ))}
    </section>
  );
}

interface ProposalProps {
  proposed: CoreLine;
  busy: boolean;
  onSay: (accept: boolean, words: string) => void;
}

/**
 * One proposal: what the file says now beside what it would say, in words that can be changed
 * before it is taken in.
 */
function Proposal({ proposed, busy, onSay }: ProposalProps) {
  const t = useLivesText();
  const item = useRef<HTMLElement>(null);
  const [words, setWords] = useState<string | null>(null);
  const button = useReturn(words !== null);
  const line = oneLine(words ?? proposed.line);
  useLetters(
    item,
    {
      keep: () => line !== "" && onSay(true, line),
      mend: () => setWords(words ?? proposed.line),
      forget: () => onSay(false, ""),
    },
    busy,
  );
  const leave = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    setWords(null);
  };
  return (
    <article ref={item} className="it proposal" aria-label={proposed.line}>
      <BeforeAfter
        lines={proposed.change.map((each) => reworded(each, line))}
        label={t.core.change}
        before={t.core.before}
        after={t.core.after}
      />
      {words === null ? null : (
        <Area
          label={t.core.words}
          voice="own"
          rows={2}
          maxLength={MOST_LINE}
          // One asked for the field by pressing its button.
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={leave}
        />
      )}
      {proposed.evidence[0] ? <Rests place={proposed.evidence[0]} brief /> : null}
      <div className="m">
        <span className="acts">
          <Button
            size="small"
            tone={words === null ? "quiet" : "ink"}
            disabled={busy || line === ""}
            aria-keyshortcuts="a"
            onClick={() => onSay(true, line)}
          >
            {t.core.take}
          </Button>
          {words === null ? (
            <Button
              size="small"
              tone="quiet"
              ref={button}
              disabled={busy}
              aria-keyshortcuts="c"
              onClick={() => setWords(proposed.line)}
            >
              {t.core.reword}
            </Button>
          ) : (
            <Button size="small" tone="quiet" onClick={() => setWords(null)}>
              {t.core.asProposed}
            </Button>
          )}
          <Button
            size="small"
            tone="quiet"
            disabled={busy}
            aria-keyshortcuts="f"
            onClick={() => onSay(false, "")}
          >
            {t.core.not}
          </Button>
        </span>
      </div>
    </article>
  );
}

/** The line that comes in, in the words that stand in the field. */
const reworded = (line: DiffLine, words: string): DiffLine =>
  line.part === "added" ? { ...line, text: `- ${words}` } : line;
