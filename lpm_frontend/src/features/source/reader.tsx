"use client";
/** The original beside the page, at the very place: numbered lines, page numbers, the cited span marked. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, Download, X } from "lucide-react";
import Link from "next/link";
import { useEffect, useMemo, useRef, useState } from "react";
import { originalHref, textQuery, useDocument } from "@/lib/api/documents";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { IconButton, Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Trouble } from "@/ui/trouble";
import { linesOf, markedLines } from "./lines";

/** How many code points are shown around a place, and how many more at a time. */
const BEFORE = 2_000;
const AFTER = 4_000;
const MORE = 8_000;

export interface PlaceInText {
  readonly document: string;
  /** Code points in the canonical text, `end` exclusive. Equal: nothing is marked. */
  readonly start: number;
  readonly end: number;
}

interface ReaderProps {
  place: PlaceInText;
  onClose: () => void;
  /** To the next or previous source of the same answer. */
  onStep?: ((by: 1 | -1) => void) | undefined;
  /** Leave the link into the library out, where one is in it already. */
  inLibrary?: boolean;
}

export function Reader({ place, onClose, onStep, inLibrary = false }: ReaderProps) {
  const text = useText();
  const language = useLanguage();
  const document = useDocument(place.document).data;
  const head = useRef<HTMLHeadingElement>(null);
  // Who opened the source with the keyboard goes on reading there.
  useEffect(() => head.current?.focus({ preventScroll: true }), [place.document, place.start]);
  return (
    <section className="source" aria-label={text.source.region}>
      <header className="source-head">
        <div className="top">
          {inLibrary ? null : (
            <Link className="link tiny" href={`/library?id=${encodeURIComponent(place.document)}`}>
              {text.source.inLibrary}
            </Link>
          )}
          <span className="push">
            {onStep ? (
              <>
                <IconButton icon={ChevronUp} label={text.source.previous} onClick={() => onStep(-1)} />
                <IconButton icon={ChevronDown} label={text.source.next} onClick={() => onStep(1)} />
              </>
            ) : null}
            <a className="ib" href={originalHref(place.document)} download aria-label={text.source.original} title={text.source.original}>
              <Icon of={Download} />
            </a>
            <IconButton icon={X} label={text.source.close} onClick={onClose} />
          </span>
        </div>
        <h2 ref={head} tabIndex={-1}>
          {document?.title ?? " "}
        </h2>
        {document ? (
          <p className="source-facts">
            <span>{text.library.kinds[document.kind]}</span>
            {document.created_at ? <span>{formatDate(document.created_at, language)}</span> : null}
          </p>
        ) : null}
        {document && document.keywords.length > 0 ? <p className="source-facts">{text.source.about(document.keywords.join(" · "))}</p> : null}
      </header>
      <Pages key={`${place.document} ${place.start} ${place.end}`} place={place} />
    </section>
  );
}

function Pages({ place }: { place: PlaceInText }) {
  const text = useText();
  const [span, setSpan] = useState({ from: Math.max(0, place.start - BEFORE), to: place.end + AFTER });
  const query = useQuery({ ...textQuery(place.document, span.from, span.to), placeholderData: keepPreviousData });
  const scroller = useRef<HTMLDivElement>(null);
  const window = query.data;
  const lines = useMemo(() => (window ? linesOf(window, place.start, place.end) : []), [window, place.start, place.end]);
  const marked = markedLines(lines);
  const ready = lines.length > 0;
  useEffect(() => {
    if (!ready) return;
    const mark = scroller.current?.querySelector("mark");
    const box = scroller.current;
    if (mark && box) box.scrollTop += mark.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
  }, [ready]);
  if (query.isPending) return <div className="source-text"><div className="face"><Loading words={text.source.loading} lines={6} /></div></div>;
  if (query.isError && !window) return <div className="source-text"><Trouble error={query.error} onRetry={() => void query.refetch()} /></div>;
  if (!window || window.length === 0) return <p className="source-text mute">{text.source.empty}</p>;
  return (
    // The scrolling text takes the focus so that the arrow keys move it.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="source-text" ref={scroller} tabIndex={0} role="region" aria-label={marked ? `${text.source.marked}: ${text.source.lines(...marked)}` : text.source.region}>
      {window.start > 0 ? (
        <Button size="small" tone="quiet" onClick={() => setSpan({ ...span, from: Math.max(0, span.from - MORE) })}>
          {text.source.earlier}
        </Button>
      ) : null}
      {lines.map((line) => (
        <div key={line.offset}>
          {line.page === null ? null : <p className="pg">{text.source.page(line.page)}</p>}
          <div className={line.marked === "" ? "ln" : "ln here"} data-line={line.number}>
            <span className="no" aria-hidden="true">
              {line.number}
            </span>
            <span className="tx">
              {line.before}
              {line.marked === "" ? null : <mark>{line.marked}</mark>}
              {line.after}
            </span>
          </div>
        </div>
      ))}
      {window.end < window.length ? (
        <Button size="small" tone="quiet" onClick={() => setSpan({ ...span, to: span.to + MORE })}>
          {text.source.later}
        </Button>
      ) : null}
    </div>
  );
}
