"use client";
import { useCallback, useRef, useState, type ReactNode, type RefObject } from "react";
import { useCommand } from "@/lib/commands";
import { Margin } from "@/ui/margin";
import { EntityPage } from "./entities/entity";
import type { PlaceOfWords } from "./statements/panel";

/** Shows the place in its document; `name` tells it from another that stands beside it. */
export type ReaderOf = (place: PlaceOfWords, onClose: () => void, name?: string) => ReactNode;

export interface Opened {
  readonly place: PlaceOfWords | null;
  readonly open: (place: PlaceOfWords) => void;
  readonly shut: () => void;
}

/**
 * The place in a document that was opened from what is chosen; `Esc` shuts the place first, and
 * then what was chosen.
 */
export function useOpened(chosen: string, close: () => void): Opened {
  const [opened, setOpened] = useState<{ chosen: string; place: PlaceOfWords } | null>(null);
  const place = opened?.chosen === chosen ? opened.place : null;
  const shut = useCallback(() => setOpened(null), []);
  useCommand(
    "stop",
    useCallback(() => {
      if (place) shut();
      else if (chosen !== "") close();
    }, [chosen, close, place, shut]),
  );
  return { place, open: (words) => setOpened({ chosen, place: words }), shut };
}

/** `j` and `k` walk along the links of what this is put on. */
export function useSteps<E extends HTMLElement>(): RefObject<E | null> {
  const list = useRef<E>(null);
  useCommand(
    "step",
    useCallback(({ by }: { by: 1 | -1 }) => {
      const links = [...(list.current?.querySelectorAll("a") ?? [])];
      const at = links.findIndex((link) => link === document.activeElement);
      links[Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
    }, []),
  );
  return list;
}

interface BesideProps {
  label: string;
  slug: string;
  opened: Opened;
  href: (slug: string) => string;
  onGo: (slug: string) => void;
  onClose: () => void;
  reader: ReaderOf;
  /** What stands there while nothing is chosen. */
  children: ReactNode;
}

/**
 * The margin of a list or a map: the page of the one that is chosen, or the place that was opened
 * from it.
 */
export function Beside({
  label,
  slug,
  opened: { place, open, shut },
  href,
  onGo,
  onClose,
  reader,
  children,
}: BesideProps) {
  return (
    <Margin label={label} open={slug !== "" || place !== null} onClose={place ? shut : onClose}>
      {place ? (
        reader(place, shut)
      ) : slug === "" ? (
        children
      ) : (
        <EntityPage slug={slug} href={href} onGo={onGo} onOpen={open} onClose={onClose} />
      )}
    </Margin>
  );
}
