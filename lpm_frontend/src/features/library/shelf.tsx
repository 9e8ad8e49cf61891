"use client";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useRouter } from "next/navigation";
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from "react";
import { useSettings } from "@/lib/api/identity";
import { useJobs } from "@/lib/api/jobs";
import { useRange, useRows, type Sort, type View } from "@/lib/api/library";
import { useCommand } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { PHONE, useMedia } from "@/lib/media";
import { Loading } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Trouble } from "@/ui/trouble";
import { Card, Row, runningBy } from "./row";
import type { Selection } from "./selection";
import { showRow, useStretch } from "./virtual";

interface ShelfProps {
  view: View;
  onView: (view: View) => void;
  total: number;
  /** The document that is open. */
  id: string;
  grid: boolean;
  selection: Selection;
  scroller: RefObject<HTMLDivElement | null>;
}

const HEAD = 37;
/** Of a row, as `.doc` has them: a title and a line below it. */
const ROW = { desk: 46, phone: 58 };
const CARD = { width: 190, height: 262 };
const COLUMNS = ["title", "kind", "size", "created", "added", "state"] as const;
const SORTED: Readonly<Partial<Record<(typeof COLUMNS)[number], Sort>>> = {
  title: "title",
  size: "size",
  created: "created",
  added: "added",
};
const FIRST_UP: ReadonlySet<Sort> = new Set<Sort>(["title"]);

/** The list itself, as a table or as cards; only what is in sight is on the page. */
export function Shelf({ view, onView, total, id, grid, selection, scroller }: ShelfProps) {
  const text = useText();
  const router = useRouter();
  const phone = useMedia(PHONE);
  const singleKeys = useSettings().data?.single_keys !== false;
  const list = useRef<HTMLDivElement>(null);
  const whole = useRef<HTMLDivElement>(null);
  const across = useAcross(list, grid);
  const height = grid ? CARD.height : phone ? ROW.phone : ROW.desk;
  const lines = Math.ceil(total / across);
  const stretch = useStretch(scroller, list, lines, height);
  const first = stretch.first * across;
  const last = Math.min(Math.max(0, total - 1), (stretch.last + 1) * across - 1);
  const rows = useRows(view, first, last);
  const running = runningBy(useJobs().data?.items ?? []);
  const range = useRange(view);
  const cursor = useRef(-1);
  const { toggle, add, anchor } = selection;

  const focus = useCallback(
    (index: number) => {
      const box = scroller.current;
      if (!box || !list.current) return;
      cursor.current = index;
      showRow(box, list.current, Math.floor(index / across), height, grid ? 0 : HEAD);
      // The row may have to come into sight first.
      let tries = 0;
      const take = (): void => {
        const link = list.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`);
        if (link) link.focus({ preventScroll: true });
        else if ((tries += 1) < 60) requestAnimationFrame(take);
      };
      take();
    },
    [across, grid, height, scroller],
  );
  const step = useCallback(
    (by: number): number => {
      const at = (document.activeElement?.closest("[data-index]") as HTMLElement | null)?.dataset[
        "index"
      ];
      const now = at === undefined ? cursor.current : Number(at);
      return now < 0 ? 0 : Math.min(total - 1, Math.max(0, now + by));
    },
    [total],
  );
  useCommand(
    "step",
    useCallback(({ by }: { by: 1 | -1 }) => total > 0 && focus(step(by)), [focus, step, total]),
  );
  const choose = useCallback(
    (index: number, chosen: string, on: boolean) => {
      if (on && anchor >= 0) void range(anchor, index).then(add);
      else toggle(chosen, index);
    },
    [add, anchor, range, toggle],
  );
  // Keys of the list: the rows themselves take the focus, so they are heard on the box around them.
  useLayoutEffect(() => {
    const box = whole.current;
    if (!box) return undefined;
    const press = (event: KeyboardEvent): void => {
      const target = event.target instanceof HTMLElement ? event.target : null;
      const index = Number(target?.closest<HTMLElement>("[data-index]")?.dataset["index"] ?? -1);
      const document = index < 0 ? undefined : rows.at(index);
      if (!document || event.metaKey || event.ctrlKey || event.altKey) return;
      const by = stepOf(event, grid ? across : 0, singleKeys);
      if (by !== 0) {
        event.preventDefault();
        const next = step(by);
        if (event.shiftKey) void range(index, next).then(add);
        focus(next);
      } else if (event.key === "x" && singleKeys) {
        event.preventDefault();
        choose(index, document.id, false);
      } else if (event.key === "Enter" && target?.matches("input")) {
        event.preventDefault();
        router.push(`/library?id=${encodeURIComponent(document.id)}`);
      }
    };
    box.addEventListener("keydown", press);
    return () => box.removeEventListener("keydown", press);
  });
  const places = Array.from({ length: total === 0 ? 0 : last - first + 1 }, (_, n) => first + n);
  const entries: readonly ReactNode[] = places.map((index) => {
    const document = rows.at(index);
    if (!document) return <Waiting key={`w${index}`} index={index} grid={grid} />;
    const shared = {
      document,
      index,
      job: running.get(document.id),
      current: document.id === id,
      chosen: selection.has(document.id),
      onChoose: choose,
    };
    return grid ? <Card key={document.id} {...shared} /> : <Row key={document.id} {...shared} />;
  });
  if (rows.error !== null && !rows.ready)
    return <Trouble error={rows.error} onRetry={rows.again} />;
  if (!rows.ready && total === 0) return <Loading words={text.library.loading} lines={6} />;
  // Each line lies where it belongs by itself, so that nothing on the page moves when others come
  // and go.
  const slots = Array.from({ length: Math.ceil(entries.length / across) }, (_, at) => {
    const line = stretch.first + at;
    return (
      <div
        key={line}
        role="presentation"
        className={grid ? "slot cards-line" : "slot"}
        style={{
          transform: `translateY(${line * height}px)`,
          ...(grid ? { gridTemplateColumns: `repeat(${across}, minmax(0, 1fr))` } : {}),
        }}
      >
        {entries.slice(at * across, (at + 1) * across)}
      </div>
    );
  });
  if (grid) {
    return (
      <div ref={whole}>
        <div
          ref={list}
          role="list"
          aria-label={text.places.library}
          className="cards"
          style={{ height: lines * height }}
        >
          {slots}
        </div>
      </div>
    );
  }
  return (
    <div
      role="table"
      aria-label={text.places.library}
      aria-rowcount={total + 1}
      className="docs"
      ref={whole}
    >
      <div role="rowgroup" className="docs-head">
        <div role="row" aria-rowindex={1} className="doc head">
          <span role="cell" className="box" />
          {COLUMNS.map((column) => (
            <Heading key={column} column={column} view={view} onView={onView} />
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={list} className="docs-body" style={{ height: lines * height }}>
        {slots}
      </div>
    </div>
  );
}

/** How far a key goes in the list; `across` is 0 in a table. */
function stepOf({ key }: KeyboardEvent, across: number, singleKeys: boolean): number {
  if (key === "ArrowDown") return Math.max(1, across);
  if (key === "ArrowUp") return -Math.max(1, across);
  if (across > 0 && key === "ArrowRight") return 1;
  if (across > 0 && key === "ArrowLeft") return -1;
  return singleKeys ? (key === "J" ? 1 : key === "K" ? -1 : 0) : 0;
}

const Waiting = ({ index, grid }: { index: number; grid: boolean }) => (
  <div
    role={grid ? "listitem" : "row"}
    className={grid ? "bookcard waiting" : "doc waiting"}
    {...(grid ? {} : { "aria-rowindex": index + 2 })}
  >
    {grid ? (
      <span className="ghost" />
    ) : (
      <>
        <span role="cell" className="box" />
        <span role="cell" className="doc-title">
          <span className={`ghost w${index % 3}`} />
        </span>
      </>
    )}
  </div>
);

function Heading({
  column,
  view,
  onView,
}: {
  column: (typeof COLUMNS)[number];
  view: View;
  onView: (view: View) => void;
}) {
  const text = useText();
  const sort = SORTED[column];
  const words = text.shelves.columns[column];
  const on = sort !== undefined && view.sort === sort;
  if (!sort) {
    return (
      <span role="columnheader" data-column={column}>
        {words}
      </span>
    );
  }
  const order = on ? (view.order === "asc" ? "desc" : "asc") : FIRST_UP.has(sort) ? "asc" : "desc";
  return (
    <span
      role="columnheader"
      data-column={column}
      aria-sort={on ? (view.order === "asc" ? "ascending" : "descending") : "none"}
    >
      <button
        type="button"
        className={on ? "sort on" : "sort"}
        title={text.shelves.sortBy(words)}
        onClick={() => onView({ ...view, sort, order })}
      >
        {words}
        {on ? <Icon of={view.order === "asc" ? ArrowUp : ArrowDown} /> : null}
      </button>
    </span>
  );
}

/** How many cards stand beside each other. */
function useAcross(list: RefObject<HTMLDivElement | null>, grid: boolean): number {
  const [across, setAcross] = useState(4);
  useEffect(() => {
    const box = list.current;
    if (!grid || !box) return undefined;
    const look = (): void =>
      setAcross(Math.max(1, Math.floor((box.clientWidth + 16) / (CARD.width + 16))));
    look();
    const watcher = new ResizeObserver(look);
    watcher.observe(box);
    return () => watcher.disconnect();
  }, [list, grid]);
  return grid ? across : 1;
}
