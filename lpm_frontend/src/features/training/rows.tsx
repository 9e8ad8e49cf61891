"use client";
import Link from "next/link";
import { useDeferredValue, useState } from "react";
import { rowsHref, useChangeRows, useRowsOf, type RowKind } from "@/lib/api/training";
import type { Row, Training } from "@/lib/api/types";
import { useTrainingText } from "@/lib/i18n/training";
import { Material, StrikeButton, strikeOrBringBack } from "./material";
import { OwnWords } from "./own-words";
import { placeOf } from "./views";

/** The kinds of rows, in the order in which they are shown. */
export const KINDS: readonly RowKind[] = [
  "fact",
  "third",
  "note",
  "enhance",
  "critic",
  "diversity",
  "discretion",
  "unknown",
  "general",
];

/** How many rows it learns. */
export const rowsOf = (run: Training): number =>
  KINDS.reduce((sum, kind) => sum + (run.rows[kind] ?? 0), 0);

/** What is learned, row by row: to read, to search, and to strike and add to until it begins. */
export function Rows({ run, open = true }: { run: Training; open?: boolean }) {
  const t = useTrainingText();
  const [shown, setShown] = useState(false);
  const count = rowsOf(run);
  return (
    <details className="depth" onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        <span className="num">
          {run.state === "prepared" ? t.rows.title(count) : t.rows.titleDone(count)}
        </span>
      </summary>
      {shown && open ? <RowsRead run={run} /> : null}
    </details>
  );
}

function RowsRead({ run }: { run: Training }) {
  const t = useTrainingText();
  const [kind, setKind] = useState<RowKind | "">("");
  const [typed, setTyped] = useState("");
  const query = useRowsOf(run.id, kind, useDeferredValue(typed.trim()));
  const change = useChangeRows();
  const changeable = run.state === "prepared";
  const strike = (row: Row): void =>
    strikeOrBringBack(row, (wish) => change.mutateAsync({ id: run.id, change: wish }), t.rows);
  return (
    <div className="training-rows">
      <Material
        words={t.rows}
        exportHref={rowsHref(run.id)}
        kinds={KINDS.filter((each) => (run.rows[each] ?? 0) > 0).map((each) => [
          each,
          `${t.names.kinds[each] ?? each} ${run.rows[each] ?? 0}`,
        ])}
        kind={kind}
        onKind={setKind}
        typed={typed}
        onTyped={setTyped}
        query={query}
        error={change.error}
      >
        {(row) => (
          <li key={row.id} className={row.struck ? "struck" : undefined}>
            <p className="row-question">{row.question}</p>
            {row.thought ? <p className="small mute row-thought">{row.thought}</p> : null}
            <p className="own">{row.answer}</p>
            <p className="row-facts tiny faint">
              <span>{t.names.kinds[row.kind]}</span>
              {row.asker ? <span>{t.rows.asker(row.asker)}</span> : null}
              <span>{t.names.makers[row.maker]}</span>
              {row.held_out ? <span>{t.rows.heldOut}</span> : null}
              <RowSources row={row} />
            </p>
            {changeable ? (
              <StrikeButton
                of={row}
                words={t.rows}
                busy={change.isPending}
                onStrike={() => strike(row)}
              />
            ) : null}
          </li>
        )}
      </Material>
      {changeable ? <OwnRowForm run={run} /> : null}
    </div>
  );
}

/** What a row was made of: memories to open, lines of files that come with the node. */
function RowSources({ row }: { row: Row }) {
  const t = useTrainingText();
  return (
    <>
      {row.memories.map((memory, at) => (
        <Link
          key={memory}
          className="link"
          href={placeOf({ memory, document: row.documents[0] ?? null })}
        >
          {t.rows.from(at + 1, row.memories.length)}
        </Link>
      ))}
      {row.shipped.map((line) => (
        <span key={line}>
          {t.rows.shipped(line.split(":")[0] ?? "", Number(line.split(":")[1]))}
        </span>
      ))}
      {row.searched > 0 ? <span>{t.rows.searched(row.searched)}</span> : null}
    </>
  );
}

/** A row of the person's own. */
function OwnRowForm({ run }: { run: Training }) {
  const t = useTrainingText();
  const add = useChangeRows();
  return (
    <OwnWords
      title={t.rows.add}
      answers={[["answer", t.rows.answer]]}
      busy={add.isPending}
      error={add.error}
      onAdd={(own, done) => add.mutate({ id: run.id, change: { add: [own] } }, { onSuccess: done })}
    />
  );
}
