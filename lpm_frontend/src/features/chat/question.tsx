"use client";
import { Pencil, Scissors } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { usePartThread } from "@/lib/api/threads";
import type { ConversationWhole } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { Button, IconButton } from "@/ui/button";
import { offerUndoWhen } from "@/lib/undo";
import { useReturn } from "@/ui/return";
import { Trouble } from "@/ui/trouble";
import type { Exchange } from "./exchanges";
import { Rewording } from "./rewording";

export type Branch = NonNullable<ConversationWhole["branches"]>[number];

/** A question that was stopped before anything was found. */
export function Unanswered({ onAskAgain }: { onAskAgain: () => void }) {
  const text = useText();
  return (
    <>
      <p className="small faint">{text.chat.stopped}</p>
      <div className="after">
        <Button size="small" tone="quiet" onClick={onAskAgain}>
          {text.chat.askAgain}
        </Button>
      </div>
    </>
  );
}

/** The conversations that ask a question differently, by that question's turn. */
export function branchesByQuestion(branches: readonly Branch[]): ReadonlyMap<string, Branch[]> {
  const found = new Map<string, Branch[]>();
  for (const branch of branches)
    found.set(branch.turn, [...(found.get(branch.turn) ?? []), branch]);
  return found;
}

interface QuestionProps {
  conversation: string;
  exchange: Exchange;
  /** A thread begins with it, or the conversation: it cannot be parted here. */
  begins: boolean;
  /** Conversations in which this question is asked differently. */
  branches: readonly Branch[] | undefined;
  /** Something is being written in this conversation. */
  busy: boolean;
  onBranch: (asked: string, question: string) => Promise<void>;
}

/** What was asked, and asking it differently: that begins a conversation of its own. */
export function Question({
  conversation,
  exchange,
  begins,
  branches,
  busy,
  onBranch,
}: QuestionProps) {
  const text = useText();
  const [draft, setDraft] = useState<string | null>(null);
  const back = useReturn(draft !== null);
  const { part, join } = usePartThread(conversation);
  if (draft !== null) {
    return (
      <Rewording
        quiet
        oneLine
        label={text.talk.editLabel}
        hint={text.talk.editMeans}
        keep={text.talk.editDo}
        words={draft}
        onWords={setDraft}
        onKeep={() => {
          const wanted = draft.trim();
          setDraft(null);
          if (wanted !== "" && wanted !== exchange.question) void onBranch(exchange.asked, wanted);
        }}
        onLeave={() => setDraft(null)}
      />
    );
  }
  // It was a role's turn, and nobody asked anything.
  if (exchange.question === "") return null;
  return (
    <>
      <div className="asked">
        <h2 className="ask own">{exchange.question}</h2>
        {exchange.asked === "" || busy ? null : (
          <IconButton
            className="reask-open"
            ref={back}
            icon={Pencil}
            label={text.talk.edit}
            onClick={() => setDraft(exchange.question)}
          />
        )}
        {exchange.asked === "" || busy || begins ? null : (
          <IconButton
            className="reask-open"
            icon={Scissors}
            label={text.keeping.part}
            disabled={part.isPending}
            onClick={() =>
              offerUndoWhen(part.mutateAsync(exchange.asked), () => ({
                sentence: text.keeping.parted,
                undo: () => join.mutate(exchange.asked),
              }))
            }
          />
        )}
      </div>
      {part.isError ? <Trouble error={part.error} /> : null}
      {branches?.map((branch) => (
        <p className="branched tiny" key={branch.conversation}>
          <Link className="link" href={`/?id=${encodeURIComponent(branch.conversation)}`}>
            {text.talk.branchedTo(branch.title || text.chat.untitled)}
          </Link>
        </p>
      ))}
    </>
  );
}
