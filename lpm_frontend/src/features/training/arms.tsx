"use client";
import { Download } from "lucide-react";
import { scorecardHref } from "@/lib/api/training";
import type { Figure, Scorecard, Training } from "@/lib/api/types";
import { useTrainingText } from "@/lib/i18n/training";
import { Icon } from "@/ui/icon";
import {
  byArm,
  chanceOf,
  finalArm,
  percent,
  placeIn,
  reads,
  scaleOf,
  type ByArm,
} from "./measures";

/**
 * Every measure by who was asked: small tables that are pictures too. A point stands where the
 * figure is, on a band as wide as its interval; the words beside it say the same.
 */
export function Arms({ run, card }: { run: Training; card: Scorecard }) {
  const t = useTrainingText();
  const shown = byArm(card);
  if (shown.length === 0) return null;
  return (
    <section className="ways" aria-label={t.card.ways}>
      <div className="loss-head">
        <h3 className="part">{t.card.ways}</h3>
        <div className="row wrap" role="group" aria-label={t.card.export}>
          {(["markdown", "json"] as const).map((format) => (
            <a key={format} className="ib" href={scorecardHref(run.id, format)} download>
              <Icon of={Download} />
              <span>{t.card.exports[format]}</span>
            </a>
          ))}
        </div>
      </div>
      <p className="small mute">{t.card.waysHint}</p>
      <div className="multiples">
        {shown.map((each) => (
          <Multiple key={each.measure} of={each} final={finalArm(card.arms)} />
        ))}
      </div>
    </section>
  );
}

function Multiple({ of: { measure, arms }, final }: { of: ByArm; final: string }) {
  const t = useTrainingText();
  const scale = scaleOf(arms.map(({ figure }) => figure));
  const chance = chanceOf(measure);
  return (
    <table className="multiple">
      <caption>
        {t.card.names[measure]} <span className="tiny faint num">{counted(t, arms)}</span>
      </caption>
      <thead className="sr">
        <tr>
          <th scope="col">{t.card.asker}</th>
          <td />
          <th scope="col">{t.card.figure}</th>
        </tr>
      </thead>
      <tbody>
        {arms.map(({ arm, figure }) => (
          <tr key={arm} data-reads={reads(arm)} data-final={arm === final}>
            <th scope="row">{t.card.arms[arm]}</th>
            <td aria-hidden="true">
              <span className="bell">
                {chance === null ? null : (
                  <i className="chance" style={{ left: left(chance, scale) }} />
                )}
                {scale.low < 0 ? <i className="zero" style={{ left: left(0, scale) }} /> : null}
                <i className="span" style={bandOf(figure, scale)} />
                <i className="to" style={{ left: left(figure.value, scale) }} />
              </span>
            </td>
            <td className="num">
              <b>{percent(figure.value)}</b>{" "}
              <span className="tiny faint">
                {t.card.interval(percent(figure.low), percent(figure.high))}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Scale = ReturnType<typeof scaleOf>;
const left = (value: number, scale: Scale): string => `${String(placeIn(value, scale))}%`;
const bandOf = (figure: Figure, scale: Scale) => ({
  left: left(figure.low, scale),
  width: `${String(placeIn(figure.high, scale) - placeIn(figure.low, scale))}%`,
});

/** How many questions a measure rests on, once where all were asked the same. */
const counted = (t: ReturnType<typeof useTrainingText>, arms: ByArm["arms"]): string =>
  t.card.questions(Math.max(...arms.map(({ figure }) => figure.n)));
