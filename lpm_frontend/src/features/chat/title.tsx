"use client";
import { hashKey, useQueryClient } from "@tanstack/react-query";
import { Pencil, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import {
  conversationQuery,
  deleteConversation,
  restoreConversation,
  useConversation,
  useRenameConversation,
} from "@/lib/api/conversations";
import { useText } from "@/lib/i18n";
import { offerUndo, offerUndoWhen } from "@/lib/undo";
import { IconButton } from "@/ui/button";
import { KeepingTool } from "./keeping";

interface TitleProps {
  id: string;
  title: string;
  renaming: boolean;
  onRename: (renaming: boolean) => void;
  onTrouble: (error: unknown) => void;
}

/** The conversation's name, which one can change in place. */
export function Title({ id, title, renaming, onRename, onTrouble }: TitleProps) {
  const text = useText();
  const rename = useRenameConversation();
  const [draft, setDraft] = useState(title);
  const save = (): void => {
    onRename(false);
    const wanted = draft.trim();
    if (wanted === "" || wanted === title) return;
    offerUndoWhen(rename.mutateAsync({ id, title: wanted }), () => ({
      sentence: text.chat.renamed(wanted),
      undo: () => rename.mutate({ id, title }),
    }));
  };
  if (renaming) {
    return (
      <form
        className="retitle"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <input
          // The field takes the place of the button that was pressed.
          ref={(node) => {
            if (node && document.activeElement !== node) node.focus();
          }}
          aria-label={text.chat.renameLabel}
          maxLength={300}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            setDraft(title);
            onRename(false);
          }}
        />
      </form>
    );
  }
  return (
    <>
      <h1 className="clip">{title || text.chat.untitled}</h1>
      <span className="title-tools">
        <TitleTools id={id} title={title} onRename={() => onRename(true)} onTrouble={onTrouble} />
      </span>
    </>
  );
}

interface TitleToolsProps {
  id: string;
  title: string;
  worded?: boolean;
  onRename: () => void;
  onGone?: () => void;
  onTrouble: (error: unknown) => void;
}

/** Rename, and let go with a way back. */
export function TitleTools({
  id,
  title,
  worded = false,
  onRename,
  onGone,
  onTrouble,
}: TitleToolsProps) {
  const text = useText();
  const router = useRouter();
  const cache = useQueryClient();
  const isPrivate = useConversation(id).data?.keeping === "none";
  const told = (): Promise<void> => cache.invalidateQueries({ queryKey: ["conversations"] });
  const remove = async (): Promise<void> => {
    try {
      await deleteConversation(id);
    } catch (error) {
      onTrouble(error);
      return;
    }
    const undo = async (): Promise<void> => {
      await restoreConversation(id).catch(onTrouble);
      await told();
      router.push(`/?id=${encodeURIComponent(id)}`);
    };
    if (!isPrivate) offerUndo({ sentence: text.chat.deleted(title || text.chat.untitled), undo });
    onGone?.();
    router.push("/");
    // It is still on the page for a moment, and is not there to be asked for any more.
    const { queryKey } = conversationQuery(id);
    await cache.invalidateQueries({ queryKey, refetchType: "none" });
    await cache.invalidateQueries({
      queryKey: ["conversations"],
      predicate: (query) => query.queryHash !== hashKey(queryKey),
    });
  };
  return (
    <>
      <IconButton
        icon={Pencil}
        label={text.chat.rename}
        worded={worded || "wide"}
        onClick={onRename}
      />
      <KeepingTool id={id} worded={worded || "wide"} />
      <IconButton
        icon={Trash2}
        label={text.chat.delete}
        worded={worded || "wide"}
        onClick={() => void remove()}
      />
    </>
  );
}
