"use client";
import type { LossStep } from "@/lib/api/types";
import { useTrainingText } from "@/lib/i18n/training";
import { drawn, tabled } from "./losses";

const said = (value: number | null): string => (value === null ? "" : value.toFixed(2));

/** How wrong it still is, as a curve, a sentence and a table. */
export function Loss({ steps, of }: { steps: readonly LossStep[]; of: number }) {
  const t = useTrainingText();
  const read = steps.filter(({ loss }) => loss !== null);
  const first = read[0];
  const last = read.at(-1);
  const picture = drawn(steps, of);
  const ends = of > 1 ? [0, Math.round(of / 2), of] : [];
  return (
    <section className="loss" aria-label={t.loss.title}>
      <div className="loss-head">
        <h3 className="part">{t.loss.title}</h3>
        <p className="loss-legend tiny mute">
          <span className="reads">{t.loss.reads}</span>
          <span className="kept">{t.loss.kept}</span>
        </p>
      </div>
      <div className="loss-box" aria-hidden="true">
        {picture.reads === ""
          ? null
          : picture.lines.map((line) => (
              <span
                key={line}
                className="loss-line"
                style={{ top: `${String(100 * (1 - line / picture.top))}%` }}
              >
                <span className="tiny faint num">{Number(line.toPrecision(2))}</span>
              </span>
            ))}
        <svg viewBox="0 0 100 100" preserveAspectRatio="none">
          <path className="loss-reads" d={picture.reads} />
          <path className="loss-kept" d={picture.kept} />
        </svg>
        {picture.dots.map((dot) => (
          <i key={dot.x} style={{ left: `${String(dot.x)}%`, top: `${String(dot.y)}%` }} />
        ))}
      </div>
      <p className="loss-ends tiny faint num" aria-hidden="true">
        {ends.map((end) => (
          <span key={end}>{end}</span>
        ))}
      </p>
      <p className="small mute num">
        {first && last ? t.loss.said(said(first.loss), said(last.loss)) : t.loss.none}
      </p>
      {steps.length === 0 ? null : (
        <details className="loss-table">
          <summary className="small">{t.loss.table}</summary>
          <table className="num" aria-label={t.loss.title}>
            <thead>
              <tr>
                <th scope="col">{t.loss.step}</th>
                <th scope="col">{t.loss.reads}</th>
                <th scope="col">{t.loss.kept}</th>
              </tr>
            </thead>
            <tbody>
              {tabled(steps).map((step) => (
                <tr key={step.step}>
                  <th scope="row">{step.step}</th>
                  <td>{said(step.loss)}</td>
                  <td>{said(step.held_out)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </section>
  );
}
