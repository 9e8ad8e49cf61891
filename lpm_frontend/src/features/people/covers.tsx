"use client";
import Link from "next/link";
import type { GrantPreview } from "@/lib/api/types";
import { formatDate, useLanguage } from "@/lib/i18n";
import { usePeopleText } from "@/lib/i18n/people";
import { Loading } from "@/ui/faces";
import { Check } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import type { Kind } from "./draft";

/** Documents and rows that are named; the counts are of all. */
const NAMED = 6;

interface CoversProps {
  preview: GrantPreview | undefined;
  error: unknown;
  /** Why nothing can be counted yet; empty where it can. */
  missing: string;
  /** The figures are those of the choices before. */
  stale: boolean;
  /** Ids of what looks like a secret and is included all the same. */
  allow: readonly string[];
  onAllow: (allow: readonly string[]) => void;
}

/** What a grant covers, and what it leaves out and why: counted anew with every choice. */
export function Covers({ preview, error, missing, stale, allow, onAllow }: CoversProps) {
  const t = usePeopleText();
  if (missing !== "") return <p className="small mute">{missing}</p>;
  if (error) return <Trouble error={error} />;
  if (!preview) return <Loading words={t.cover.counting} lines={5} />;
  return (
    <div className={stale ? "covers stale" : "covers"} aria-busy={stale}>
      <p className="covers-count" role="status">
        <b className="num">{preview.rows.toLocaleString()}</b>
        <span className="small mute">
          {preview.rows === 0 ? t.cover.nothing : t.cover.of(preview.rows, preview.documents)}
        </span>
      </p>
      <Bar preview={preview} />
      <Secrets preview={preview} allow={allow} onAllow={onAllow} />
      <Kinds preview={preview} />
      <First preview={preview} />
      <Documents preview={preview} />
      <Out preview={preview} />
      <p className="tiny faint">{t.cover.later}</p>
    </div>
  );
}

/** What fits and looks like a secret: out, unless it is ticked. */
function Secrets({
  preview,
  allow,
  onAllow,
}: {
  preview: GrantPreview;
  allow: readonly string[];
  onAllow: (allow: readonly string[]) => void;
}) {
  const t = usePeopleText();
  if (preview.secrets.length === 0) return null;
  return (
    <section className="covers-first">
      <h3 className="label">{t.secrets.label}</h3>
      <p className="small mute">{t.secrets.lead}</p>
      <ul>
        {preview.secrets.map(({ id, text, title, looks }) => (
          <li key={id}>
            <p className="own covers-words">{text}</p>
            <p className="tiny faint">{t.secrets.looks[looks]}</p>
            <Check
              label={t.secrets.tick(title)}
              checked={allow.includes(id)}
              onChange={(yes) =>
                onAllow(yes ? [...allow, id] : allow.filter((each) => each !== id))
              }
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How much of everything that is. */
function Bar({ preview }: { preview: GrantPreview }) {
  const all = preview.rows + preview.left_out.reduce((sum, { rows }) => sum + rows, 0);
  const share = all === 0 ? 0 : (100 * preview.rows) / all;
  return (
    <span className="covers-bar" aria-hidden="true">
      <i style={{ width: `${share}%` }} />
    </span>
  );
}

function Kinds({ preview }: { preview: GrantPreview }) {
  const t = usePeopleText();
  const kinds = Object.entries(preview.kinds).toSorted(([, a], [, b]) => b - a) as [Kind, number][];
  return kinds.length === 0 ? null : (
    <Figures
      title={t.cover.kinds}
      rows={kinds.map(([kind, rows]) => [kind, t.give.kinds[kind], rows])}
    />
  );
}

function Documents({ preview }: { preview: GrantPreview }) {
  const t = usePeopleText();
  const shown = preview.by_document.slice(0, NAMED);
  if (shown.length === 0) return null;
  return (
    <>
      <Figures
        title={t.cover.documents}
        rows={shown.map(({ id, title, rows }) => [id, title, rows])}
        own
      />
      {preview.documents > shown.length ? (
        <p className="tiny faint">{t.cover.more(preview.documents - shown.length)}</p>
      ) : null}
    </>
  );
}

function Figures({
  title,
  rows,
  own = false,
}: {
  title: string;
  rows: readonly (readonly [string, string, number])[];
  own?: boolean;
}) {
  return (
    <section className="figure-list">
      <h3 className="label">{title}</h3>
      <dl>
        {rows.map(([key, name, figure]) => (
          <div key={key}>
            <dt className={own ? "own clip" : undefined}>{name}</dt>
            <dd className="num">{figure.toLocaleString()}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function First({ preview }: { preview: GrantPreview }) {
  const t = usePeopleText();
  const language = useLanguage();
  const shown = preview.first.slice(0, NAMED);
  if (shown.length === 0) return null;
  return (
    <section className="covers-first">
      <h3 className="label">{t.cover.first}</h3>
      <ul>
        {shown.map((row) => (
          <li key={`${row.document} ${row.start} ${row.kind}`}>
            <p className="own covers-words">{row.text}</p>
            <Link
              className="src"
              target="_blank"
              href={`/library?id=${encodeURIComponent(row.document)}&start=${row.start}&end=${row.end}`}
            >
              <span className="src-title">{row.title}</span>
              {row.at === null ? null : (
                <span className="src-place num"> · {formatDate(row.at, language)}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
      {preview.rows > shown.length ? (
        <p className="tiny faint">{t.cover.more(preview.rows - shown.length)}</p>
      ) : null}
    </section>
  );
}

function Out({ preview }: { preview: GrantPreview }) {
  const t = usePeopleText();
  if (preview.left_out.length === 0) {
    return (
      <section className="figure-list">
        <h3 className="label">{t.cover.out}</h3>
        <p className="small mute">{t.cover.outNothing}</p>
      </section>
    );
  }
  return (
    <Figures
      title={t.cover.out}
      rows={preview.left_out.map(({ reason, rows }) => [reason, t.cover.reasons[reason], rows])}
    />
  );
}
