"use client";
import { FolderOpen } from "lucide-react";
import { useCallback, useEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import { useText } from "@/lib/i18n";
import { filesOf, takeFiles } from "@/lib/intake";
import { Icon } from "./icon";

type Take = (files: readonly File[], folder: boolean) => void;

/**
 * Whether files hover over the element; dropping hands them to `take`. A box inside a page that
 * takes drops too comes first.
 */
function useDrop(ref: RefObject<HTMLElement | null>, take: Take): boolean {
  const [depth, setDepth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const holdsFiles = (event: DragEvent): boolean =>
      event.dataTransfer?.types.includes("Files") === true;
    const listeners: readonly (readonly [
      "dragenter" | "dragleave" | "dragover" | "drop",
      (event: DragEvent) => void,
    ])[] = [
      ["dragenter", (event) => holdsFiles(event) && setDepth((now) => now + 1)],
      ["dragleave", (event) => holdsFiles(event) && setDepth((now) => Math.max(0, now - 1))],
      ["dragover", (event) => holdsFiles(event) && event.preventDefault()],
      [
        "drop",
        (event) => {
          setDepth(0);
          if (!event.dataTransfer || event.defaultPrevented) return;
          event.preventDefault();
          void filesOf(event.dataTransfer).then((dropped) => take(dropped.files, dropped.folder));
        },
      ],
    ];
    for (const [name, listener] of listeners) element.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of listeners) element.removeEventListener(name, listener);
    };
  }, [ref, take]);
  return depth > 0;
}

interface DropBoxProps {
  /** Called with files in hand; without it they are taken in as they are. */
  onFiles?: Take;
  /** Right of the first line. */
  aside?: ReactNode;
  children?: ReactNode;
}

/** A box to drop files or a folder into, with buttons that do the same. */
export function DropBox({ onFiles, aside, children }: DropBoxProps) {
  const text = useText();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const take = useCallback<Take>(
    (chosen, fromFolder) => {
      if (onFiles) onFiles(chosen, fromFolder);
      else takeFiles(chosen, {}, fromFolder);
    },
    [onFiles],
  );
  const over = useDrop(box, take);
  useEffect(() => {
    // React does not know this attribute; every browser that chooses folders does.
    folder.current?.setAttribute("webkitdirectory", "");
  }, []);
  return (
    <div ref={box} className={over ? "drop over" : "drop"}>
      <div className="drop-head">
        <Icon of={FolderOpen} />
        <span>{text.add.drop}</span>
        <span className="drop-choose">
          <button type="button" className="link" onClick={() => files.current?.click()}>
            {text.add.files}
          </button>
          <button type="button" className="link" onClick={() => folder.current?.click()}>
            {text.add.folder}
          </button>
          {aside}
        </span>
      </div>
      {[[files, false] as const, [folder, true] as const].map(([ref, fromFolder]) => (
        <input
          key={String(fromFolder)}
          ref={ref}
          type="file"
          multiple
          hidden
          aria-label={fromFolder ? text.add.folder : text.add.files}
          onChange={(event) => {
            take([...(event.target.files ?? [])], fromFolder);
            event.target.value = "";
          }}
        />
      ))}
      {children}
    </div>
  );
}

/** The whole page takes what is dropped on it. */
export function DropPage({
  words,
  onFiles,
  children,
}: {
  words: string;
  onFiles: Take;
  children: ReactNode;
}) {
  const page = useRef<HTMLDivElement>(null);
  const over = useDrop(page, onFiles);
  return (
    <div className="drop-page" ref={page}>
      {children}
      {over ? (
        <div className="drop-veil" role="status">
          <p>{words}</p>
        </div>
      ) : null}
    </div>
  );
}
