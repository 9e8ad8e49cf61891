"use client";
/** A page as it came in, with the cited words marked on it. */
import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { pictureHref, placesQuery } from "@/lib/api/documents";
import type { PagePicture } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { IconButton } from "@/ui/button";
import { Loading } from "@/ui/faces";
import type { PlaceInText } from "./place";

const ZOOMS = [1, 1.5, 2, 3] as const;
const STEP = 200;
const WIDEST = 2400;

interface OriginalProps {
  title: string;
  pages: readonly PagePicture[];
  page: number;
  onPage: (page: number) => void;
  place: PlaceInText;
}

/** The page on which a place begins; the first where nothing is marked. */
export const pageOf = (pages: readonly PagePicture[], { start, end }: PlaceInText): number =>
  (end > start
    ? pages.find(
        (page) =>
          page.start !== null &&
          page.end !== null &&
          start < Math.max(page.end, page.start + 1) &&
          end > page.start,
      )?.page
    : undefined) ??
  pages[0]?.page ??
  1;

export function Original({ title, pages, page, onPage, place }: OriginalProps) {
  const text = useText();
  const [zoom, setZoom] = useState(0);
  const [width, setWidth] = useState(0);
  const [seen, setSeen] = useState<{ href: string; state: "drawn" | "failed" } | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const known = pages.find((each) => each.page === page);
  const marks =
    known?.start !== null &&
    known?.end !== null &&
    known !== undefined &&
    place.end > place.start &&
    place.start < known.end &&
    place.end > known.start;
  const places = useQuery({
    ...placesQuery(place.document, page, place.start, place.end),
    enabled: marks,
  });
  const boxes = places.data?.boxes ?? [];
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const watcher = new ResizeObserver(() => setWidth(element.clientWidth));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  useEffect(() => {
    const mark = box.current?.querySelector(".mark-box");
    const scroller = box.current;
    if (mark && scroller)
      scroller.scrollTop +=
        mark.getBoundingClientRect().top -
        scroller.getBoundingClientRect().top -
        scroller.clientHeight / 3;
  }, [boxes.length, page, width]);
  if (!known) return null;
  const scale = ZOOMS[zoom] ?? 1;
  const dense = typeof window === "undefined" ? 1 : Math.min(2, window.devicePixelRatio || 1);
  const asked = Math.min(WIDEST, Math.max(STEP, Math.ceil((width * scale * dense) / STEP) * STEP));
  const href = width > 0 ? pictureHref(place.document, page, asked) : "";
  const failed = seen?.href === href && seen.state === "failed";
  const drawn = seen?.href === href && seen.state === "drawn";
  return (
    <div className="original">
      <div className="original-bar">
        {pages.length > 1 ? (
          <>
            <IconButton
              icon={ChevronLeft}
              label={text.leaf.previousPage}
              disabled={page <= 1}
              onClick={() => onPage(page - 1)}
            />
            <span className="small num">{text.leaf.page(page, pages.length)}</span>
            <IconButton
              icon={ChevronRight}
              label={text.leaf.nextPage}
              disabled={page >= pages.length}
              onClick={() => onPage(page + 1)}
            />
          </>
        ) : null}
        <span className="push">
          <IconButton
            icon={ZoomOut}
            label={text.leaf.smaller}
            disabled={zoom === 0}
            onClick={() => setZoom(zoom - 1)}
          />
          <IconButton
            icon={ZoomIn}
            label={text.leaf.larger}
            disabled={zoom === ZOOMS.length - 1}
            onClick={() => setZoom(zoom + 1)}
          />
        </span>
      </div>
      <div
        className="original-page"
        ref={box}
        // The scrolling page takes the focus so that the arrow keys move it.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={text.leaf.page(page, pages.length)}
      >
        {failed ? (
          <p className="mute small">{text.leaf.notDrawn}</p>
        ) : (
          <div
            className="leafpage"
            style={{ width: `${scale * 100}%`, aspectRatio: `${known.width} / ${known.height}` }}
          >
            {drawn ? null : (
              <div className="leafpage-wait">
                <Loading words={text.leaf.drawing} lines={4} />
              </div>
            )}
            {href === "" ? null : (
              <img
                src={href}
                alt={text.leaf.picture(title, page)}
                decoding="async"
                onLoad={() => setSeen({ href, state: "drawn" })}
                onError={() => setSeen({ href, state: "failed" })}
              />
            )}
            {boxes.map((each, n) => (
              <span
                key={n}
                className="mark-box"
                aria-hidden="true"
                style={{
                  left: `${each.left * 100}%`,
                  top: `${each.top * 100}%`,
                  width: `${(each.right - each.left) * 100}%`,
                  height: `${(each.bottom - each.top) * 100}%`,
                }}
              />
            ))}
          </div>
        )}
      </div>
      {marks && places.isSuccess ? (
        <p className="tiny faint original-said" role="status">
          {boxes.length > 0 ? text.leaf.cited : text.leaf.notPlaced}
        </p>
      ) : null}
    </div>
  );
}
