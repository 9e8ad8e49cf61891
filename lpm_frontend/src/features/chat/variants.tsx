"use client";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useShowVariant } from "@/lib/api/conversations";
import { useText } from "@/lib/i18n";
import { IconButton } from "@/ui/button";
import type { Answer } from "./exchanges";

/** Which of several answers is shown, and paging between them. */
export function Variants({
  conversation,
  answer,
  busy,
}: {
  conversation: string;
  answer: Answer;
  busy: boolean;
}) {
  const text = useText();
  const show = useShowVariant(conversation);
  const at = answer.variants.indexOf(answer.id);
  if (answer.variants.length < 2 || at < 0) return null;
  const turn = (by: 1 | -1) => {
    const wanted = answer.variants[at + by];
    return (
      <IconButton
        icon={by < 0 ? ChevronLeft : ChevronRight}
        label={by < 0 ? text.talk.earlierVariant : text.talk.laterVariant}
        disabled={wanted === undefined || busy}
        onClick={() => {
          if (wanted !== undefined && !show.isPending) show.mutate(wanted);
        }}
      />
    );
  };
  return (
    <span
      className="variants"
      role="group"
      aria-label={text.talk.variant(at + 1, answer.variants.length)}
    >
      {turn(-1)}
      <span className="tiny" aria-live="polite">
        <span className="sr">{text.talk.variant(at + 1, answer.variants.length)}</span>
        <span aria-hidden="true">
          {at + 1}/{answer.variants.length}
        </span>
      </span>
      {turn(1)}
    </span>
  );
}
