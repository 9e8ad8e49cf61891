"use client";
import Link from "next/link";
import { useDeferredValue, useState } from "react";
import { pairsHref, useChangePairs, usePairsOf, type PairRule } from "@/lib/api/training";
import type { Pair, Training } from "@/lib/api/types";
import { useTrainingText } from "@/lib/i18n/training";
import { Material, StrikeButton, strikeOrBringBack } from "./material";
import { OwnWords } from "./own-words";
import { isKept } from "./views";

const RULES: readonly PairRule[] = [
  "thumbs",
  "edited",
  "choice",
  "struck",
  "correction",
  "evidence",
  "invented",
  "voice",
  "stranger",
];

/** How many pairs it learns. */
const pairsOf = (run: Training): number =>
  Object.values(run.pairs?.counts ?? {}).reduce((sum, count) => sum + count, 0);

/** Which answers are preferred: to read, to search, to strike and add to until it begins. */
export function Pairs({ run, open = true }: { run: Training; open?: boolean }) {
  const t = useTrainingText();
  const [shown, setShown] = useState(false);
  if (run.pairs === null) return null;
  const count = pairsOf(run);
  return (
    <details className="depth" onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        <span className="num">{t.pairs.title(count)}</span>
      </summary>
      {shown && open ? <PairsRead run={run} /> : null}
    </details>
  );
}

function PairsRead({ run }: { run: Training }) {
  const t = useTrainingText();
  const [rule, setRule] = useState<PairRule | "">("");
  const [typed, setTyped] = useState("");
  const query = usePairsOf(run.id, rule, useDeferredValue(typed.trim()));
  const change = useChangePairs();
  const changeable = run.state === "prepared";
  const strike = (pair: Pair): void =>
    strikeOrBringBack(pair, (wish) => change.mutateAsync({ id: run.id, change: wish }), t.pairs);
  return (
    <div className="training-rows">
      {run.settings["dpo"] === true ? null : <p className="small mute">{t.pairs.notLearned}</p>}
      <Material
        words={t.pairs}
        exportHref={pairsHref(run.id)}
        kinds={RULES.filter((each) => (run.pairs?.counts[each] ?? 0) > 0).map((each) => [
          each,
          `${t.pairs.rule[each] ?? each} ${run.pairs?.counts[each]}`,
        ])}
        kind={rule}
        onKind={setRule}
        typed={typed}
        onTyped={setTyped}
        query={query}
        error={change.error}
      >
        {(pair) => (
          <PairRow
            key={pair.id}
            pair={pair}
            busy={change.isPending}
            onStrike={changeable ? () => strike(pair) : undefined}
          />
        )}
      </Material>
      {run.pairs && (query.data?.pages[0]?.total ?? 0) > 0 ? (
        <p className="tiny faint num">
          {t.pairs.lengths(
            Math.round(run.pairs.chosen_characters),
            Math.round(run.pairs.rejected_characters),
          )}
        </p>
      ) : null}
      {changeable ? <OwnPairForm run={run} /> : null}
    </div>
  );
}

interface PairRowProps {
  pair: Pair;
  busy: boolean;
  onStrike: (() => void) | undefined;
}

/** A question with both answers side by side, why one is preferred, and where it comes from. */
function PairRow({ pair, busy, onStrike }: PairRowProps) {
  const t = useTrainingText();
  return (
    <li className={pair.struck ? "struck" : undefined}>
      <p className="row-question">{pair.question}</p>
      <dl className="pair-answers">
        <div>
          <dt className="tiny faint">{t.pairs.chosen}</dt>
          <dd className="own">{pair.chosen}</dd>
        </div>
        <div>
          <dt className="tiny faint">{t.pairs.rejected}</dt>
          <dd className="own mute">{pair.rejected}</dd>
        </div>
      </dl>
      {pair.notes.length === 0 ? null : (
        <details className="pair-notes small mute">
          <summary>{t.pairs.notes(pair.notes.length)}</summary>
          {pair.notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </details>
      )}
      <p className="row-facts tiny faint">
        <span>{t.pairs.rule[pair.rule]}</span>
        {pair.asker === "" ? null : <span>{t.pairs.asker(pair.asker)}</span>}
        {pair.memories
          .filter(isKept)
          .slice(0, 1)
          .map((memory) => (
            <Link
              key={memory}
              className="link"
              href={`/memory?view=today&id=${encodeURIComponent(memory)}`}
            >
              {t.pairs.memory}
            </Link>
          ))}
        {pair.conversations.slice(0, 1).map((conversation) => (
          <Link
            key={conversation}
            className="link"
            href={`/?id=${encodeURIComponent(conversation)}`}
          >
            {t.pairs.conversation}
          </Link>
        ))}
        {pair.documents.slice(0, 1).map((document) => (
          <Link
            key={document}
            className="link"
            href={`/library?id=${encodeURIComponent(document)}`}
          >
            {t.pairs.document}
          </Link>
        ))}
        {pair.private ? <span>{t.pairs.isPrivate}</span> : null}
        {pair.held_out ? <span>{t.rows.heldOut}</span> : null}
      </p>
      {onStrike ? <StrikeButton of={pair} words={t.pairs} busy={busy} onStrike={onStrike} /> : null}
    </li>
  );
}

/** A pair of the person's own. */
function OwnPairForm({ run }: { run: Training }) {
  const t = useTrainingText();
  const add = useChangePairs();
  return (
    <OwnWords
      title={t.pairs.add}
      answers={[
        ["chosen", t.pairs.addChosen],
        ["rejected", t.pairs.addRejected],
      ]}
      busy={add.isPending}
      error={add.error}
      onAdd={(own, done) => add.mutate({ id: run.id, change: { add: [own] } }, { onSuccess: done })}
    />
  );
}
