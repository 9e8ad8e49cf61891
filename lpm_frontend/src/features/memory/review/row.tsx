"use client";
import { Check, X } from "lucide-react";
import { memo, type MouseEvent } from "react";
import type { Finding } from "@/lib/api/types";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { useReviewText } from "@/lib/i18n/review";
import { plain } from "@/lib/plain";
import { IconButton } from "@/ui/button";
import { AuthorName, placeOf, SourceLine } from "@/ui/evidence";
import { isOpen, type Standing, type Verdict } from "./model";

export interface RowProps {
  finding: Finding;
  at: number;
  standing: Standing;
  /** One is here: its controls are in the order of the Tab key, and of no other row. */
  here: boolean;
  chosen: boolean;
  /** The place is open beside the list. */
  shown: boolean;
  onOpen: (at: number) => void;
  onChoose: (at: number, extend: boolean) => void;
  onDecide: (verdict: Verdict, finding: Finding) => void;
}

/** One suggestion in a line: its sentence, where it stands, what became of it. */
export const ReviewRow = memo(function ReviewRow({
  finding,
  at,
  standing,
  here,
  chosen,
  shown,
  onOpen,
  onChoose,
  onDecide,
}: RowProps) {
  const text = useText();
  const t = useReviewText();
  const language = useLanguage();
  const said = plain(finding.content);
  const place = placeOf(finding, text);
  const date = finding.timestamp ? formatDate(finding.timestamp, language) : "";
  const where = [finding.document.title, date].filter(Boolean).join(", ");
  const open = isOpen(standing);
  const tab = here ? 0 : -1;
  return (
    <li
      data-at={at}
      className={["review-row", here && "here", chosen && "chosen", !open && "decided"]
        .filter(Boolean)
        .join(" ")}
      aria-current={shown ? "true" : undefined}
    >
      <input
        type="checkbox"
        className="review-box"
        tabIndex={tab}
        aria-label={t.select(said)}
        checked={chosen}
        disabled={!open}
        onChange={() => undefined}
        onClick={(event: MouseEvent<HTMLInputElement>) => onChoose(at, event.shiftKey)}
      />
      <div className="review-said">
        <button
          type="button"
          className="review-words own"
          tabIndex={tab}
          aria-label={t.openOne(said, where)}
          onClick={() => onOpen(at)}
        >
          {said}
        </button>
        <span className="review-source">
          <AuthorName author={finding.author} />
          <SourceLine
            title={finding.document.title}
            kind={finding.document.kind}
            place={date === "" ? place : ` · ${date}${place}`}
          />
        </span>
      </div>
      <span className="review-acts">
        {open ? (
          <>
            <State standing={standing} />
            <IconButton
              icon={Check}
              label={t.keepOne(said)}
              title={t.keep}
              tabIndex={tab}
              onClick={() => onDecide("keep", finding)}
            />
            <IconButton
              icon={X}
              label={t.dismissOne(said)}
              title={t.dismiss}
              tabIndex={tab}
              onClick={() => onDecide("dismiss", finding)}
            />
          </>
        ) : (
          <State standing={standing} />
        )}
      </span>
    </li>
  );
});

/** What became of it, as a word. */
function State({ standing }: { standing: Standing }) {
  const t = useReviewText();
  switch (standing.as) {
    case "open":
      return null;
    case "saving":
    case "saved":
      return (
        <span className={`review-state ${standing.verdict}`}>{t.standing[standing.verdict]}</span>
      );
    case "elsewhere":
      return <span className="review-state">{t.elsewhere[standing.verdict]}</span>;
    case "refused":
      return <span className="review-state failed">{standing.why}</span>;
    case "failed":
      return <span className="review-state failed">{t.standing.failed}</span>;
    case "gone":
    case "changed":
      return <span className="review-state">{t.standing[standing.as]}</span>;
  }
}
