"use client";
import Link from "next/link";
import type { Exposure } from "@/lib/api/types";
import { formatBytes, formatDate, useLanguage } from "@/lib/i18n";
import { useExposureText, type ExposureText } from "@/lib/i18n/exposure";
import { momentOf, Row } from "./row";

type Gone = Exposure["went"][number];

/** Where one chooses a model, and where an embedder. */
const CHOOSERS = {
  model: "/settings#model",
  thinking: "/settings#thinking",
  embedder: "/settings#meaning",
} as const;

/** Models on other machines, to which texts go now. */
export function Elsewhere({ known }: { known: Exposure }) {
  const t = useExposureText();
  const language = useLanguage();
  if (known.elsewhere.length === 0) return <p className="small stayed">{t.exposure.noElsewhere}</p>;
  return (
    <ul className="exposure-list">
      {known.elsewhere.map((each) => (
        <Row
          key={`${each.what} ${each.host}`}
          name={
            <>
              {t.exposure.what[each.what]} <span className="mono">{each.host}</span>
            </>
          }
          facts={[
            each.since === null
              ? t.exposure.byHand
              : t.exposure.since(formatDate(each.since, language)),
          ]}
          act={
            <Link
              className="link small"
              href={CHOOSERS[each.what]}
              aria-label={t.exposure.chooseOf(each.host)}
            >
              {t.exposure.choose}
            </Link>
          }
        />
      ))}
    </ul>
  );
}

function whatWent({ to, times }: Gone, t: ExposureText): string {
  switch (to) {
    case "contact":
      return t.exposure.answers(times ?? 0);
    case "model":
      return t.exposure.prompts(times ?? 0);
    case "embedder":
      return t.exposure.texts(times ?? 0);
    case "forgotten":
      return t.exposure.notKnown;
  }
}

/** What has left, place by place; the last row is always everything else. */
export function Went({ known }: { known: Exposure }) {
  const t = useExposureText();
  const language = useLanguage();
  return (
    <>
      <div className="network-scroll">
        <table className="network" aria-label={t.exposure.went}>
          <thead>
            <tr>
              <th scope="col">{t.exposure.to}</th>
              <th scope="col">{t.exposure.whatWent}</th>
              <th scope="col">{t.exposure.last}</th>
              <th scope="col">{t.exposure.size}</th>
            </tr>
          </thead>
          <tbody>
            {known.went.map((each) => (
              <tr key={`${each.to} ${each.contact ?? each.name}`}>
                <td
                  className={
                    each.to === "contact" ? "own" : each.to === "forgotten" ? undefined : "mono"
                  }
                >
                  {each.to === "forgotten" ? t.exposure.forgotten : each.name}
                </td>
                <td>{whatWent(each, t)}</td>
                <td className="num">
                  {each.last_at === null ? "—" : momentOf(each.last_at, language)}
                </td>
                <td className="num">{formatBytes(each.bytes, language)}</td>
              </tr>
            ))}
            <tr className="stayed">
              <td colSpan={3}>{t.exposure.rest}</td>
              <td>{t.exposure.restNothing}</td>
            </tr>
          </tbody>
        </table>
      </div>
      <p className="row wrap small">
        <Link className="link" href="/people?view=network">
          {t.exposure.log}
        </Link>
        <Link className="link" href="/settings#activity">
          {t.exposure.activity}
        </Link>
      </p>
    </>
  );
}
