"use client";
import { useState } from "react";
import { useText } from "@/lib/i18n";
import type { SignalValues } from "@/ui/evidence";

const SIGNALS = ["words", "meaning", "time", "entity", "neighbours"] as const;

/**
 * Why something was found, as a small picture: five short bars, with words on hover and focus, and
 * as a table.
 */
export function WhyFound({
  signals,
  matched,
}: {
  signals: SignalValues;
  matched: readonly string[];
}) {
  const text = useText();
  const [table, setTable] = useState(false);
  const most = Math.max(2, ...SIGNALS.map((name) => signals[name]));
  const said = (value: number): string => `${value < 0 ? "−" : ""}${Math.abs(value).toFixed(1)}`;
  const sentence = SIGNALS.map((name) =>
    text.seek.signal(text.evidence.signals[name], said(signals[name])),
  ).join(", ");
  return (
    <div className="whyfound">
      <button
        type="button"
        className="whybars"
        aria-expanded={table}
        aria-label={`${text.seek.why}: ${sentence}. ${table ? text.seek.asBars : text.seek.asTable}`}
        title={sentence}
        onClick={() => setTable(!table)}
      >
        {SIGNALS.map((name) => (
          <span key={name} className={`whybar ${name}`} aria-hidden="true">
            <i
              style={{
                height: `${Math.max(4, Math.min(1, Math.max(0, signals[name]) / most) * 100)}%`,
              }}
            />
          </span>
        ))}
      </button>
      {table ? (
        <table className="whytable">
          <caption className="sr">{text.seek.why}</caption>
          <tbody>
            {SIGNALS.map((name) => (
              <tr key={name}>
                <th scope="row">{text.evidence.signals[name]}</th>
                <td className="num">{said(signals[name])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p className="whywords" aria-hidden="true">
          {sentence}
        </p>
      )}
      {matched.length > 0 ? (
        <p className="tiny faint">{text.evidence.matched(matched.join(", "))}</p>
      ) : null}
    </div>
  );
}
