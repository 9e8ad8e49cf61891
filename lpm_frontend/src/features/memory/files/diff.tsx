"use client";
import type { DiffLine } from "@/lib/api/types";
import { useFilesText } from "@/lib/i18n/files";
import { PHONE, useMedia } from "@/lib/media";
import { Diff, SIGNS } from "@/ui/diff";
import { pairsOf } from "./pairs";

interface BeforeAfterProps {
  lines: readonly DiffLine[];
  label: string;
  /** What the two columns are called. */
  before: string;
  after: string;
}

/**
 * The same in two columns, with the number of each line; one column where there is no room for two.
 */
export function BeforeAfter({ lines, label, before, after }: BeforeAfterProps) {
  const t = useFilesText();
  const narrow = useMedia(PHONE);
  if (narrow) return <Diff lines={lines} label={label} />;
  return (
    <table className="before-after" aria-label={label}>
      <thead>
        <tr>
          {[before, after].map((title) => (
            <th key={title} scope="col" className="label">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {pairsOf(lines).map((pair, at) => (
          // Two lines of one diff may say the same; where they stand tells them apart.
          <tr key={`${at} ${pair.before?.before ?? ""} ${pair.after?.after ?? ""}`}>
            <td className={pair.before === null ? "none" : pair.before.part}>
              {pair.before === null ? null : pair.before.part === "skipped" ? (
                <Skipped />
              ) : (
                <>
                  <Number of={pair.before.before} />
                  {pair.before.part === "removed" ? (
                    <del>{pair.before.text}</del>
                  ) : (
                    <span>{pair.before.text}</span>
                  )}
                </>
              )}
            </td>
            <td className={pair.after === null ? "none" : pair.after.part}>
              {pair.after === null ? null : pair.after.part === "skipped" ? (
                <Skipped />
              ) : (
                <>
                  <Number of={pair.after.after} />
                  {pair.after.part === "added" ? (
                    <ins>
                      <span className="sr">{t.versions.added}: </span>
                      {pair.after.text}
                    </ins>
                  ) : (
                    <span>{pair.after.text}</span>
                  )}
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Number = ({ of }: { of: number | null }) => (
  <span className="before-after-line num" aria-hidden="true">
    {of}
  </span>
);

function Skipped() {
  const t = useFilesText();
  return (
    <span className="before-after-line">
      <span aria-hidden="true">{SIGNS.skipped}</span>
      <span className="sr">{t.versions.skipped}</span>
    </span>
  );
}
