"use client";
/**
 * The original beside the page, at the very place: numbered lines, page numbers, the cited span
 * marked.
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, Columns2, Download, X } from "lucide-react";
import Link from "next/link";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { originalHref, pagesQuery, soundHref, textQuery, useDocument } from "@/lib/api/documents";
import type { SaidIn } from "@/lib/api/types";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { remarkIn } from "@/lib/i18n/remarks";
import { IconButton, Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Loading } from "@/ui/faces";
import { Field } from "@/ui/field";
import { Icon } from "@/ui/icon";
import { Trouble } from "@/ui/trouble";
import { stretchesOf, wholeQuery, type Stretch } from "./find";
import { frontMatterEnd, linesOf, markedLines } from "./lines";
import { Original, pageOf } from "./original";
import type { PlaceInText } from "./place";
import { tableOf, type TableOfText } from "./table";
import { VersionLine } from "./versions";

/** How many code points are shown around a place, and how many more at a time. */
const BEFORE = 2_000;
const AFTER = 4_000;
const MORE = 8_000;

interface ReaderProps {
  place: PlaceInText;
  onClose: () => void;
  /** To the next or previous source of the same answer. */
  onStep?: ((by: 1 | -1) => void) | undefined;
  /** Leave the link into the library out, where one is in it already. */
  inLibrary?: boolean;
  /** What it is called where two stand side by side; what belongs to one alone is left out then. */
  name?: string | undefined;
}

type Shown = "original" | "text";

/** The chat, at what was said there. */
const chatHref = ({ conversation, turn }: SaidIn): string =>
  `/?id=${encodeURIComponent(conversation)}${turn === null ? "" : `&turn=${encodeURIComponent(turn)}`}`;

export function Reader({ place, onClose, onStep, inLibrary = false, name }: ReaderProps) {
  const text = useText();
  const language = useLanguage();
  const document = useDocument(place.document).data;
  const head = useRef<HTMLHeadingElement>(null);
  const [whole, setWhole] = useState(false);
  const pictured = document?.kind === "pdf" || document?.kind === "image";
  const leaves = useQuery({ ...pagesQuery(place.document), enabled: pictured });
  const pages = leaves.data?.items ?? [];
  const [chosen, setChosen] = useState<Shown | null>(null);
  const [turned, setTurned] = useState<{ place: PlaceInText; page: number } | null>(null);
  const [sought, setSought] = useState<Stretch | null>(null);
  const marked = sought ? { document: place.document, ...sought } : place;
  const page =
    turned?.place.document === place.document && turned.place.start === marked.start
      ? turned.page
      : pageOf(pages, marked);
  const shown: Shown = chosen ?? (document?.kind === "image" ? "original" : "text");
  // Who opened the source with the keyboard goes on reading there. With what is seen, not after it:
  // a key pressed in between may have closed the source, and the focus is elsewhere by then.
  useLayoutEffect(() => {
    if (name === undefined) head.current?.focus({ preventScroll: true });
  }, [name, place.document, place.start]);
  const original =
    pages.length > 0 ? (
      <Original
        title={document?.title ?? ""}
        pages={pages}
        page={page}
        onPage={(next) => setTurned({ place: marked, page: next })}
        place={marked}
      />
    ) : null;
  const known = pages.find((each) => each.page === page);
  // Beside a page that was turned to, its own text stands.
  const from = known?.start ?? null;
  const beside =
    turned && from !== null && !(marked.start < (known?.end ?? 0) && marked.end > from)
      ? { document: place.document, start: from, end: from }
      : marked;
  const plain = (
    <Pages
      key={`${place.document} ${marked.start} ${marked.end}`}
      place={marked}
      kind={document?.kind}
      name={name}
    />
  );
  return (
    <section className="source" aria-label={name ?? text.source.region}>
      <header className="source-head">
        <div className="top">
          {place.saidIn ? (
            <Link className="link tiny" href={chatHref(place.saidIn)}>
              {text.source.inChat}
            </Link>
          ) : inLibrary ? null : (
            <Link className="link tiny" href={`/library?id=${encodeURIComponent(place.document)}`}>
              {text.source.inLibrary}
            </Link>
          )}
          <span className="push">
            {onStep ? (
              <>
                <IconButton
                  icon={ChevronUp}
                  label={text.source.previous}
                  onClick={() => onStep(-1)}
                />
                <IconButton icon={ChevronDown} label={text.source.next} onClick={() => onStep(1)} />
              </>
            ) : null}
            {original ? (
              <IconButton icon={Columns2} label={text.leaf.both} onClick={() => setWhole(true)} />
            ) : null}
            <a
              className="ib"
              href={originalHref(place.document)}
              download
              aria-label={text.source.original}
              title={text.source.original}
            >
              <Icon of={Download} />
            </a>
            {name === undefined ? (
              <IconButton icon={X} label={text.source.close} onClick={onClose} />
            ) : null}
          </span>
        </div>
        <h2 ref={head} tabIndex={-1}>
          {place.saidIn ? place.saidIn.title || text.chat.untitled : (document?.title ?? " ")}
        </h2>
        {place.saidIn ? <p className="source-facts">{text.source.said}</p> : null}
        {document && !place.saidIn ? (
          <p className="source-facts">
            <span>{text.library.kinds[document.kind]}</span>
            {document.created_at ? <span>{formatDate(document.created_at, language)}</span> : null}
          </p>
        ) : null}
        {document ? <VersionLine document={document} /> : null}
        {document?.remarks?.map((remark) => (
          <p className="source-facts" key={remark}>
            {remarkIn(language, remark)}
          </p>
        ))}
        {document && document.keywords.length > 0 ? (
          <p className="source-facts">{text.source.about(document.keywords.join(" · "))}</p>
        ) : null}
        {document?.kind === "audio" ? (
          // What is said in it has no transcript here; a recording without captions is all there
          // is.
          // eslint-disable-next-line jsx-a11y/media-has-caption
          <audio
            controls
            preload="none"
            src={soundHref(document.id)}
            aria-label={text.leaf.listen}
          />
        ) : null}
        <div className="source-tools">
          {document?.kind === "pdf" && (leaves.isPending || original) ? (
            <span className="seg" role="group" aria-label={text.leaf.views}>
              {(
                [
                  ["text", text.leaf.text],
                  ["original", text.leaf.original],
                ] as const
              ).map(([each, word]) => (
                <button
                  key={each}
                  type="button"
                  className="seg-button"
                  aria-pressed={shown === each}
                  disabled={each === "original" && !original}
                  onClick={() => setChosen(each)}
                >
                  {word}
                </button>
              ))}
            </span>
          ) : null}
          {name === undefined && document && document.passages > 0 ? (
            <Finder document={place.document} onFound={setSought} />
          ) : null}
        </div>
      </header>
      {shown === "original" && original ? original : plain}
      <Dialog
        open={whole}
        onClose={() => setWhole(false)}
        title={document?.title ?? text.leaf.whole}
        closeLabel={text.frame.close}
        shape="full"
      >
        <div className="both">
          {original}
          {document?.kind === "image" && document.passages === 0 ? null : (
            <Pages
              key={`${beside.start} ${beside.end} ${page}`}
              place={beside}
              kind={document?.kind}
            />
          )}
        </div>
      </Dialog>
    </section>
  );
}

/** Look for words in this one text, and step from place to place. */
function Finder({
  document,
  onFound,
}: {
  document: string;
  onFound: (stretch: Stretch | null) => void;
}) {
  const text = useText();
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const whole = useQuery({ ...wholeQuery(document), enabled: words.trim() !== "" }).data;
  const found = useMemo(
    () => (whole === undefined ? [] : stretchesOf(whole, words)),
    [whole, words],
  );
  const stretch = found[Math.min(at, found.length - 1)];
  useEffect(() => {
    onFound(words.trim() !== "" && stretch ? stretch : null);
  }, [onFound, stretch, words]);
  const step = (by: number): void =>
    setAt((now) =>
      found.length === 0 ? 0 : (Math.min(now, found.length - 1) + by + found.length) % found.length,
    );
  return (
    <search className="finder">
      <Field
        label={text.leaf.find}
        className="quiet-label"
        type="search"
        placeholder={text.leaf.find}
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            step(event.shiftKey ? -1 : 1);
          } else if (event.key === "Escape" && words !== "") {
            event.stopPropagation();
            setWords("");
          }
        }}
      />
      <span className="tiny faint num" role="status">
        {words.trim() === "" || whole === undefined
          ? ""
          : found.length === 0
            ? text.leaf.foundNone
            : text.leaf.found(Math.min(at, found.length - 1) + 1, found.length)}
      </span>
      {found.length > 1 ? (
        <>
          <IconButton icon={ChevronUp} label={text.leaf.previous} onClick={() => step(-1)} />
          <IconButton icon={ChevronDown} label={text.leaf.next} onClick={() => step(1)} />
        </>
      ) : null}
    </search>
  );
}

function Pages({
  place,
  kind,
  name,
}: {
  place: PlaceInText;
  kind?: string | undefined;
  name?: string | undefined;
}) {
  const text = useText();
  const [span, setSpan] = useState({
    from: Math.max(0, place.start - BEFORE),
    to: place.end + AFTER,
  });
  const query = useQuery({
    ...textQuery(place.document, span.from, span.to),
    placeholderData: keepPreviousData,
  });
  const scroller = useRef<HTMLDivElement>(null);
  const window = query.data;
  const lines = useMemo(
    () => (window ? linesOf(window, place.start, place.end) : []),
    [window, place.start, place.end],
  );
  const marked = markedLines(lines);
  const about = kind === "markdown" ? frontMatterEnd(lines) : 0;
  const table = useMemo(() => (kind === "table" ? tableOf(lines) : null), [kind, lines]);
  const ready = lines.length > 0;
  useEffect(() => {
    if (!ready) return;
    const mark = scroller.current?.querySelector("mark, tr.here");
    const box = scroller.current;
    if (mark && box)
      box.scrollTop +=
        mark.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
  }, [ready]);
  if (query.isPending)
    return (
      <div className="source-text">
        <div className="face">
          <Loading words={text.source.loading} lines={6} />
        </div>
      </div>
    );
  if (query.isError && !window)
    return (
      <div className="source-text">
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  if (!window || window.length === 0)
    return <p className="source-text mute">{text.source.empty}</p>;
  return (
    <div
      className="source-text"
      ref={scroller}
      // The scrolling text takes the focus so that the arrow keys move it.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="region"
      aria-label={[
        name,
        marked ? `${text.source.marked}: ${text.source.lines(...marked)}` : text.reading.text,
      ]
        .filter(Boolean)
        .join(" · ")}
    >
      {window.start > 0 ? (
        <Button
          size="small"
          tone="quiet"
          onClick={() => setSpan({ ...span, from: Math.max(0, span.from - MORE) })}
        >
          {text.source.earlier}
        </Button>
      ) : null}
      {table ? (
        <Table table={table} />
      ) : (
        lines.map((line) => (
          <div key={line.offset}>
            {line.page === null ? null : <p className="pg">{text.source.page(line.page)}</p>}
            <div
              className={line.marked !== "" ? "ln here" : line.number <= about ? "ln matter" : "ln"}
              data-line={line.number}
            >
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
        ))
      )}
      {window.end < window.length ? (
        <Button size="small" tone="quiet" onClick={() => setSpan({ ...span, to: span.to + MORE })}>
          {text.source.later}
        </Button>
      ) : null}
    </div>
  );
}

/** Rows with headings, as they were. */
function Table({ table }: { table: TableOfText }) {
  const text = useText();
  return (
    <table className="source-table">
      <thead>
        <tr>
          <th scope="col">
            <span className="sr">{text.leaf.row}</span>
          </th>
          {table.headings.map((heading) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row) => (
          <tr key={row.number} className={row.marked ? "here" : undefined}>
            <th scope="row" className="num">
              {row.number}
            </th>
            {table.headings.map((heading) => (
              <td key={heading}>
                {row.marked && row.cells[heading] ? (
                  <mark>{row.cells[heading]}</mark>
                ) : (
                  row.cells[heading]
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
