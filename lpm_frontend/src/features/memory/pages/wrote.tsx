"use client";
import Link from "next/link";
import { useState } from "react";
import { useReflections, useUndoReflection } from "@/lib/api/reflections";
import { useDiff, useWording } from "@/lib/api/workspace";
import type { PageChange, Reflection } from "@/lib/api/types";
import { formatDate, formatTime, useLanguage } from "@/lib/i18n";
import { useFilesText } from "@/lib/i18n/files";
import { useLivesText } from "@/lib/i18n/lives";
import { Button } from "@/ui/button";
import { Diff } from "@/ui/diff";
import { Loading } from "@/ui/faces";
import { useReturn } from "@/ui/return";
import { Trouble } from "@/ui/trouble";
import { BIOGRAPHY, hrefOfPage } from "../views";

/** What is older is not news. */
const NEWS_MS = 7 * 24 * 3_600_000;
/** As many pages stand there before one asks for more. */
const FEW = 4;

/**
 * What the node wrote the last time it went over what is new: each page opens, shows what changed,
 * and all of it can be taken back.
 */
export function Wrote() {
  const [now] = useState(() => Date.now());
  const last = useReflections().data?.items[0];
  return last && now - Date.parse(last.at) < NEWS_MS ? (
    <Night key={last.id} reflection={last} />
  ) : null;
}

function Night({ reflection }: { reflection: Reflection }) {
  const t = useLivesText();
  const language = useLanguage();
  const undo = useUndoReflection();
  const [all, setAll] = useState(false);
  const [sure, setSure] = useState(false);
  const button = useReturn(sure);
  const { pages, undone_at: undone } = reflection;
  const shown = all ? pages : pages.slice(0, FEW);
  const kept = pages.filter((page) => page.changed_since).length;
  const when = `${formatDate(reflection.at, language)} ${formatTime(reflection.at, language)}`;
  return (
    <section className="found-today" aria-label={t.wrote.title(pages.length)}>
      <h2 className="num">{t.wrote.title(pages.length)}</h2>
      <p className="small mute num">
        {undone === null
          ? t.wrote.lead(when)
          : t.wrote.undone(`${formatDate(undone, language)} ${formatTime(undone, language)}`)}
      </p>
      {undo.isError ? <Trouble error={undo.error} /> : null}
      <ul className="wrote" aria-label={t.wrote.pages}>
        {shown.map((page) => (
          <Page key={page.path} page={page} undone={undone !== null} />
        ))}
      </ul>
      <div className="row wrap wrote-acts">
        {pages.length > FEW ? (
          <Button size="small" tone="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? t.wrote.fewer : t.wrote.all(pages.length - FEW)}
          </Button>
        ) : null}
        {undone !== null || kept === pages.length ? null : sure ? (
          <div className="wrote-sure" role="group" aria-label={t.wrote.undo}>
            <p className="small">{t.wrote.sure(pages.length - kept, kept)}</p>
            <div className="row wrap">
              <Button
                size="small"
                tone="ink"
                // One asked for it by pressing a button in this place.
                // eslint-disable-next-line jsx-a11y/no-autofocus
                autoFocus
                disabled={undo.isPending}
                onClick={() => undo.mutate(reflection.id, { onSuccess: () => setSure(false) })}
              >
                {t.wrote.undoDo}
              </Button>
              <Button size="small" tone="quiet" onClick={() => setSure(false)}>
                {t.wrote.undoNot}
              </Button>
            </div>
          </div>
        ) : (
          <Button size="small" tone="quiet" ref={button} onClick={() => setSure(true)}>
            {t.wrote.undo}
          </Button>
        )}
      </div>
    </section>
  );
}

function Page({ page, undone }: { page: PageChange; undone: boolean }) {
  const t = useLivesText();
  const [open, setOpen] = useState(false);
  const name = page.path === BIOGRAPHY ? t.wrote.biography : page.title;
  const gone = undone ? page.made : page.removed;
  return (
    <li className="wrote-page">
      <div className="wrote-head">
        {gone ? (
          <span className="own mute">{name}</span>
        ) : (
          <Link className="link own" href={hrefOfPage(page.path)}>
            {name}
          </Link>
        )}
        <span className="tiny faint">
          {page.made ? t.wrote.made : page.removed ? t.wrote.removed : t.wrote.changed}
          {page.changed_since && !undone ? ` · ${t.wrote.since}` : ""}
        </span>
        {undone ? null : (
          <Button
            size="small"
            tone="quiet"
            aria-expanded={open}
            aria-label={t.wrote.whatOf(name)}
            onClick={() => setOpen(!open)}
          >
            {open ? t.wrote.hide : t.wrote.what}
          </Button>
        )}
      </div>
      {open && !undone ? <What page={page} name={name} /> : null}
    </li>
  );
}

/** The lines that came and went; a page that was not there before came with all of its lines. */
function What({ page: { path, before, after }, name }: { page: PageChange; name: string }) {
  const t = useLivesText();
  const files = useFilesText();
  const whole = before === null || after === null;
  const diff = useDiff(path, before ?? "", after ?? "", !whole);
  const text = useWording(whole ? (after ?? before ?? "") : "");
  const query = whole ? text : diff;
  if (query.isError) return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  const part = after === null ? "removed" : "added";
  const lines = whole
    ? text.data
        ?.split("\n")
        .filter((line) => line.trim() !== "")
        .map((line, at) => ({ part, text: line, before: at, after: at }) as const)
    : diff.data?.lines;
  if (lines === undefined) return <Loading words={files.versions.loading} lines={3} />;
  return (
    <Diff
      lines={lines.map((line) => ({
        ...line,
        text: line.text.replace(/ \^r[0-9a-f]{12}\s*$/u, ""),
      }))}
      label={t.wrote.whatOf(name)}
    />
  );
}
