"use client";
/** What a conversation keeps of what is said in it: said above it, changed in its menu. */
import { useQueryClient } from "@tanstack/react-query";
import { Archive, EyeOff } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import {
  leaveBehind,
  leaveConversation,
  useConversation,
  useKeepSo,
} from "@/lib/api/conversations";
import { useSettings } from "@/lib/api/identity";
import type { Conversation, ConversationWhole } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { Button, IconButton } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Icon } from "@/ui/icon";
import { KeepingChoice, type Keeping } from "@/ui/keeping";
import { Trouble } from "@/ui/trouble";
import { stop } from "./live";

/** Where a conversation begins of which nothing is kept. */
export const PRIVATE = "/?keeping=none";

/** Above where one writes: that not all of it is kept, and what happens when. */
export function KeepingLine({
  conversation,
  wanted,
}: {
  conversation: ConversationWhole | null;
  /** What a new one was wanted to keep. */
  wanted: Keeping | null;
}) {
  const text = useText();
  const standard = useSettings().data?.keeping ?? "full";
  const keeping = conversation?.keeping ?? wanted ?? standard;
  if (keeping === "full") return null;
  return (
    <p className="keeping-line tiny" role="note">
      <Icon of={keeping === "none" ? EyeOff : Archive} />
      <span>{text.keeping.band[keeping]}</span>
    </p>
  );
}

/**
 * Erase a conversation that keeps nothing when it is left: when another is opened, another place is
 * gone to, or the page goes away for good.
 */
export function useLeaving(conversation: ConversationWhole | null, id: string): void {
  const cache = useQueryClient();
  const keeps = useRef<Keeping>("full");
  useEffect(() => {
    keeps.current = conversation?.id === id ? (conversation.keeping ?? "full") : "full";
  }, [conversation, id]);
  useEffect(() => {
    if (id === "") return undefined;
    const leave = (): void => {
      if (keeps.current !== "none") return;
      stop(id);
      // Where the node does not hear it, it erases it after ten minutes.
      const gone = leaveConversation(id).catch(() => undefined);
      void gone.then(() => {
        cache.removeQueries({ queryKey: ["conversations", "one", id] });
        return cache.invalidateQueries({ queryKey: ["conversations", "list"] });
      });
    };
    const hide = (): void => {
      if (keeps.current === "none") leaveBehind(id);
    };
    // A page that comes back as it was shows what is there now.
    const back = (event: PageTransitionEvent): void => {
      if (event.persisted) void cache.invalidateQueries({ queryKey: ["conversations"] });
    };
    window.addEventListener("pagehide", hide);
    window.addEventListener("pageshow", back);
    return () => {
      window.removeEventListener("pagehide", hide);
      window.removeEventListener("pageshow", back);
      leave();
    };
  }, [cache, id]);
}

/** The button that opens what this conversation keeps. */
export function KeepingTool({ id, worded }: { id: string; worded: boolean | "wide" }) {
  const text = useText();
  const [open, setOpen] = useState(false);
  const known = useConversation(id).data;
  return (
    <>
      <IconButton
        icon={known?.keeping === "none" ? EyeOff : Archive}
        label={text.keeping.tool[known?.keeping ?? "full"]}
        aria-haspopup="dialog"
        worded={worded}
        onClick={() => setOpen(true)}
      />
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={text.keeping.title}
        closeLabel={text.frame.close}
      >
        {known ? <Choice conversation={known} onDone={() => setOpen(false)} /> : null}
      </Dialog>
    </>
  );
}

/** Choose, and be told first what goes. */
function Choice({ conversation, onDone }: { conversation: ConversationWhole; onDone: () => void }) {
  const text = useText();
  const keep = useKeepSo();
  const now: Keeping = conversation.keeping ?? "full";
  const [chosen, setChosen] = useState<Keeping>(now);
  const words = wordsLeft(conversation);
  const summaries = chosen === "none" && hasSummaries(conversation);
  const goes = chosen !== now && (words > 0 || summaries) && (chosen === "none" || now === "full");
  const go = goes && chosen !== "full" ? chosen : null;
  const lost = go === null ? 0 : memoriesLost(conversation, go);
  return (
    <form
      className="keeping-choice"
      onSubmit={(event) => {
        event.preventDefault();
        keep.mutate({ id: conversation.id, keeping: chosen }, { onSuccess: onDone });
      }}
    >
      <KeepingChoice value={chosen} active={now} onChange={setChosen} />
      {go ? (
        <div className="keeping-sure small" role="status">
          {words > 0 ? <p>{text.keeping.sure[go](words)}</p> : null}
          {summaries ? <p>{text.keeping.summariesToo}</p> : null}
          {lost > 0 ? <p>{text.keeping.lost(lost)}</p> : null}
          <p className="faint">
            {text.keeping.exports}{" "}
            {(conversation.branches ?? []).length > 0 ? text.keeping.branches : ""}
          </p>
        </div>
      ) : chosen === now ? null : (
        <p className="small faint" role="status">
          {text.keeping.later}
        </p>
      )}
      {keep.isError ? <Trouble error={keep.error} /> : null}
      <div className="row">
        <Button
          type="submit"
          tone={go ? "beni" : "plain"}
          disabled={chosen === now || keep.isPending}
        >
          {go === "summary"
            ? text.keeping.discard(words)
            : go === "none"
              ? text.keeping.forget
              : text.keeping.use}
        </Button>
        <Button type="button" tone="quiet" onClick={onDone}>
          {text.keeping.cancel}
        </Button>
      </div>
    </form>
  );
}

/** Whether of some of its threads only the summary is left. */
function hasSummaries(conversation: Pick<ConversationWhole, "threads">): boolean {
  return (conversation.threads ?? []).some((thread) => thread.reduced);
}

/** How many memories that the person kept of it go with its words. */
function memoriesLost(conversation: Pick<ConversationWhole, "threads">, keeping: Keeping): number {
  return (conversation.threads ?? []).reduce(
    (sum, thread) => sum + ((keeping === "none" ? thread.kept : thread.kept_outside) ?? 0),
    0,
  );
}

/** How many of its turns have their words still, as far as the node counts them. */
function wordsLeft(conversation: Conversation & Pick<ConversationWhole, "threads">): number {
  const gone = (conversation.threads ?? [])
    .filter((thread) => thread.reduced)
    .reduce((sum, thread) => sum + (thread.turns ?? 0), 0);
  return Math.max(0, conversation.turns - gone);
}
