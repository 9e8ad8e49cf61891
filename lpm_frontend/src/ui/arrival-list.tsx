"use client";
import type { Problem } from "@/lib/api/types";
import { useText, type Text } from "@/lib/i18n";
import { sentencesOf, sentencesOfProblem } from "@/lib/problem";
import { documentIcon } from "./evidence";
import { Icon } from "./icon";
import { Meter } from "./meter";

export interface ArrivalRow {
  readonly key: number;
  readonly name: string;
  readonly kind: string | undefined;
  readonly state: "waiting" | "sending" | "reading" | "read" | "known" | "refused" | "unread";
  readonly progress: number;
  readonly step: string;
  readonly error: unknown;
  readonly problem: Problem | null;
}

function word(row: ArrivalRow, text: Text): string {
  switch (row.state) {
    case "waiting":
      return text.add.queued;
    case "sending":
      return text.add.sending("").trim();
    case "reading":
      return row.progress > 0
        ? text.library.progress(
            text.jobs.steps[row.step] ?? text.library.states.reading,
            Math.round(row.progress * 100),
          )
        : text.add.queued;
    case "read":
      return text.add.read;
    case "known":
      return text.add.known;
    case "refused":
      return text.add.refused;
    case "unread":
      return text.library.states.failed;
  }
}

const isWrong = (row: ArrivalRow): boolean => row.state === "refused" || row.state === "unread";

const isUnderWay = (row: Pick<ArrivalRow, "state">): boolean =>
  row.state === "waiting" || row.state === "sending" || row.state === "reading";

/** How much of what was dropped is through, and how far all of it came, 0 to 1. */
export function wholeOf(rows: readonly Pick<ArrivalRow, "state" | "progress">[]): {
  readonly through: number;
  readonly share: number;
} {
  const through = rows.filter((row) => !isUnderWay(row)).length;
  const reading = rows.reduce((sum, row) => sum + (row.state === "reading" ? row.progress : 0), 0);
  return { through, share: rows.length === 0 ? 0 : (through + reading) / rows.length };
}

/** Several at once, and where their end is; nothing once all are through. */
function Whole({ rows }: { rows: readonly ArrivalRow[] }) {
  const text = useText();
  const { through, share } = wholeOf(rows);
  if (rows.length < 2 || through === rows.length) return null;
  const said = text.add.whole(through, rows.length);
  return (
    <li className="arrival whole-arrival">
      <span className="num">{said}</span>
      <Meter value={share} label={said} />
    </li>
  );
}

/** What was dropped, each with what became of it, in words. */
export function ArrivalList({ rows, most = 8 }: { rows: readonly ArrivalRow[]; most?: number }) {
  const text = useText();
  if (rows.length === 0) return null;
  // What wants a look first, then the newest.
  const shown = rows
    .toSorted((a, b) => Number(isWrong(b)) - Number(isWrong(a)) || b.key - a.key)
    .slice(0, most);
  return (
    <ul className="arrivals" aria-live="polite">
      <Whole rows={rows} />
      {shown.map((row) => {
        const why = row.problem
          ? sentencesOfProblem(row.problem, text)
          : row.error
            ? sentencesOf(row.error, text)
            : null;
        const said = word(row, text);
        return (
          <li key={row.key} className="arrival">
            <Icon of={documentIcon(row.kind)} />
            <span className="clip">{row.name}</span>
            <span
              className={
                row.state === "read" || row.state === "known"
                  ? "st ok"
                  : isWrong(row)
                    ? "st no"
                    : "st num"
              }
            >
              {said}
            </span>
            {row.state === "reading" ? (
              <Meter value={row.progress} label={`${row.name}: ${said}`} />
            ) : null}
            {why ? (
              <p className="said-why">
                {why.detail} {why.hint}
              </p>
            ) : null}
          </li>
        );
      })}
      {rows.length > shown.length ? (
        <li className="arrival tiny faint">{text.add.more(rows.length - shown.length)}</li>
      ) : null}
    </ul>
  );
}
