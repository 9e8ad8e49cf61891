"use client";
import Link from "next/link";
import type { Ref } from "react";
import type { ConversationWhole } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { Button } from "@/ui/button";

interface EarlierTurnsProps {
  ref: Ref<HTMLDivElement>;
  /** There is more than what is shown. */
  more: boolean;
  fetching: boolean;
  branchedFrom: ConversationWhole["branched_from"];
  onMore: () => void;
}

/** What stands above the first question shown: what came before it, or whence it branched. */
export function EarlierTurns({ ref, more, fetching, branchedFrom, onMore }: EarlierTurnsProps) {
  const text = useText();
  if (more)
    return (
      <div className="chat-page earlier" ref={ref}>
        {fetching ? (
          <p className="small faint" role="status">
            {text.talk.loadingEarlier}
          </p>
        ) : (
          <Button size="small" tone="quiet" onClick={onMore}>
            {text.talk.earlier}
          </Button>
        )}
      </div>
    );
  if (!branchedFrom) return null;
  return (
    <div className="chat-page branched">
      <p className="small">
        {branchedFrom.title === null ? (
          <span className="faint">{text.talk.branchedFromGone}</span>
        ) : (
          <Link className="link" href={`/?id=${encodeURIComponent(branchedFrom.conversation)}`}>
            {text.talk.branchedFrom(branchedFrom.title || text.chat.untitled)}
          </Link>
        )}
      </p>
    </div>
  );
}
