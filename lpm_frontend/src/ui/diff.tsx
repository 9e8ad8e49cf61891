"use client";
import type { DiffLine } from "@/lib/api/types";
import { useVersionsText } from "@/lib/i18n/versions";

export const SIGNS: Readonly<Record<DiffLine["part"], string>> = {
  same: " ",
  added: "+",
  removed: "−",
  skipped: "⋯",
};

/** What changed, line by line: a sign, a stroke under or through the words, and then the colour. */
export function Diff({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  const t = useVersionsText();
  if (!lines.some(({ part }) => part === "added" || part === "removed"))
    return <p className="small mute">{t.same}</p>;
  return (
    <ol className="diff" aria-label={label}>
      {lines.map(({ part, text, before, after }, at) => (
        // Two lines of one diff may say the same; where they stand tells them apart.
        <li key={`${at} ${before ?? ""} ${after ?? ""}`} className={part}>
          <span className="diff-sign" aria-hidden="true">
            {SIGNS[part]}
          </span>
          {part === "added" ? (
            <ins>
              <span className="sr">{t.added}: </span>
              {text}
            </ins>
          ) : part === "removed" ? (
            <del>
              <span className="sr">{t.removed}: </span>
              {text}
            </del>
          ) : part === "skipped" ? (
            <span className="sr">{t.skipped}</span>
          ) : (
            <span>{text}</span>
          )}
        </li>
      ))}
    </ol>
  );
}
