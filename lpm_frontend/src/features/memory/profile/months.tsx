"use client";
import { monthName, monthOfYear } from "@/lib/days";
import { useLanguage } from "@/lib/i18n";
import { useProfileText } from "@/lib/i18n/profile";

/** Months that have room for their names. */
const NAMED = 12;

interface BarsProps {
  values: readonly number[];
  /** What a full bar stands for. */
  most: number;
}

/** How high a bar is, in hundredths; whatever is there can be seen. */
export const height = (value: number, most: number): number =>
  value <= 0 || most <= 0 ? 0 : Math.max(8, (100 * value) / most);

/** A bar for each month, as small as a word; the count beside it says how many in all. */
export function Bars({ values, most }: BarsProps) {
  const width = 100 / Math.max(values.length, 1);
  return (
    <svg className="month-bars" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <line x1="0" x2="100" y1="100" y2="100" />
      {values.map((value, at) => (
        <rect
          key={at}
          x={at * width + width * 0.12}
          width={width * 0.76}
          y={100 - height(value, most)}
          height={height(value, most)}
        />
      ))}
    </svg>
  );
}

interface MonthsProps {
  label: string;
  months: readonly string[];
  values: readonly number[];
  most: number;
  /** What a month says: its name and its value. */
  words: (when: string, value: number) => string;
  line?: boolean;
}

/** The same, large enough to be read: each month says its value; a line where it is a measure. */
export function Months({ label, months, values, most, words, line = false }: MonthsProps) {
  const language = useLanguage();
  const points = values.map((value, at) => {
    const x = (100 * (at + 0.5)) / Math.max(values.length, 1);
    return `${x.toFixed(2)},${(100 - (most > 0 ? (100 * value) / most : 0)).toFixed(2)}`;
  });
  return (
    <figure className="months" aria-label={label}>
      <div className="months-box">
        {line ? (
          <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
            <polyline points={points.join(" ")} />
          </svg>
        ) : (
          <Bars values={values} most={most} />
        )}
        {line
          ? values.map((value, at) => (
              <i
                key={months[at]}
                style={{
                  left: `${String((100 * (at + 0.5)) / Math.max(values.length, 1))}%`,
                  top: `${String(100 - (most > 0 ? (100 * value) / most : 0))}%`,
                }}
                aria-hidden="true"
              />
            ))
          : null}
        <ol className="months-words">
          {months.map((month, at) => {
            const said = words(monthOfYear(`${month}-01`, language), values[at] ?? 0);
            return (
              <li key={month} title={said}>
                <span className="sr">{said}</span>
              </li>
            );
          })}
        </ol>
      </div>
      {months.length <= NAMED ? (
        <p
          className="months-each tiny faint num"
          style={{ gridTemplateColumns: `repeat(${String(months.length)}, minmax(0, 1fr))` }}
          aria-hidden="true"
        >
          {months.map((month) => (
            <span key={month}>{monthName(`${month}-01`, language)}</span>
          ))}
        </p>
      ) : (
        <p className="months-ends tiny faint num" aria-hidden="true">
          <span>{monthOfYear(`${months[0] ?? ""}-01`, language)}</span>
          <span>{monthOfYear(`${months.at(-1) ?? ""}-01`, language)}</span>
        </p>
      )}
    </figure>
  );
}

/** All that was said, by months. */
export function Overview({
  months,
  values,
}: {
  months: readonly string[];
  values: readonly number[];
}) {
  const t = useProfileText();
  return (
    <Months
      label={t.months}
      months={months}
      values={values}
      most={Math.max(...values, 1)}
      words={t.month}
    />
  );
}
