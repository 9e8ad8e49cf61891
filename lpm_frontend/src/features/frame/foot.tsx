"use client";
import { CircleAlert, LockKeyhole, Send, Undo2 } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import type { Status } from "@/lib/api/types";
import { formatBytes, useLanguage, useText } from "@/lib/i18n";
import { undoLast, useUndoable } from "@/lib/undo";
import { Icon } from "@/ui/icon";
import { SETTINGS } from "./places";

/** Where it is listed who can reach what, and everything that left. */
const EXPOSURE = "/exposure";

/** What the seal line says: nothing has left, or how much. */
export function useSealLine(status: Status | undefined): { sentence: string; went: boolean } {
  const text = useText();
  const language = useLanguage();
  const bytes = status?.left.bytes ?? 0;
  return bytes === 0 && (status?.left.answers ?? 0) === 0
    ? { sentence: text.frame.nothingLeft, went: false }
    : { sentence: text.frame.left(formatBytes(bytes, language)), went: true };
}

/** The last change, and the way back. */
export function UndoLine({ className }: { className: string }) {
  const text = useText();
  const undoable = useUndoable();
  return (
    <div aria-live="polite" className={undoable ? `${className} undo-line` : "sr"}>
      {undoable ? (
        <>
          <Icon of={Undo2} />
          <span className="clip">{undoable.sentence}</span>
          <button type="button" className="undo" onClick={undoLast}>
            {text.frame.undo}
          </button>
        </>
      ) : null}
    </div>
  );
}

/** Jobs, the way back, the seal line, Settings: the three promises at the foot of every screen. */
export function Foot({
  status,
  tray,
  here,
  onGo,
}: {
  status: Status | undefined;
  tray: ReactNode;
  here: string;
  onGo?: () => void;
}) {
  const text = useText();
  const going = onGo ? { onClick: onGo } : {};
  const seal = useSealLine(status);
  const modelState = status?.model.state;
  return (
    <div className="foot">
      {tray}
      <UndoLine className="foot-line" />
      {modelState === "starting" || modelState === "down" ? (
        <div
          className={modelState === "down" ? "foot-line look" : "foot-line"}
          title={
            text.checks[`model_on_disk.${modelState === "down" ? "broken" : "look"}`]?.([]) ??
            status?.model.sentence
          }
        >
          <Icon of={CircleAlert} />
          <span className="clip">
            {modelState === "down" ? text.frame.modelDown : text.frame.modelStarting}
          </span>
        </div>
      ) : null}
      {status?.level === "words" ? (
        <div
          className="foot-line"
          title={text.checks["embedder.broken"]?.([]) ?? status.embedder.sentence}
        >
          <Icon of={CircleAlert} />
          <span className="clip">{text.frame.wordsOnly}</span>
        </div>
      ) : null}
      {status ? (
        <Link
          className={seal.went ? "foot-line went" : "foot-line stayed"}
          href={EXPOSURE}
          title={seal.went ? text.frame.leftTitle : text.frame.sealTitle}
          {...going}
        >
          <Icon of={seal.went ? Send : LockKeyhole} />
          <span>{seal.sentence}</span>
        </Link>
      ) : null}
      <Link
        className="foot-line"
        href={SETTINGS.href}
        aria-current={here === SETTINGS.href ? "page" : undefined}
        {...going}
      >
        <Icon of={SETTINGS.icon} />
        <span>{text.places.settings}</span>
        <span className="mono address">{status?.address.replace(/:\d+$/, "")}</span>
      </Link>
    </div>
  );
}
