"use client";
import { useQueryClient } from "@tanstack/react-query";
import { Pencil, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useRenameConversation } from "@/lib/api/conversations";
import { useText } from "@/lib/i18n";
import { offerUndo } from "@/lib/undo";
import { IconButton } from "@/ui/button";
import { deleteWithUndo } from "./hidden";

interface TitleProps {
  id: string;
  title: string;
  renaming: boolean;
  onRename: (renaming: boolean) => void;
}

/** The conversation's name, which one can change in place. */
export function Title({ id, title, renaming, onRename }: TitleProps) {
  const text = useText();
  const rename = useRenameConversation();
  const [draft, setDraft] = useState(title);
  const save = (): void => {
    onRename(false);
    const wanted = draft.trim();
    if (wanted === "" || wanted === title) return;
    rename.mutate({ id, title: wanted }, { onSuccess: () => offerUndo({ sentence: text.chat.renamed(wanted), undo: () => rename.mutate({ id, title }) }) });
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
        <TitleTools id={id} title={title} onRename={() => onRename(true)} />
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
}

/** Rename, and let go with a way back. */
export function TitleTools({ id, title, worded = false, onRename, onGone }: TitleToolsProps) {
  const text = useText();
  const router = useRouter();
  const cache = useQueryClient();
  const remove = (): void => {
    const back = (): void => router.push(`/?id=${encodeURIComponent(id)}`);
    deleteWithUndo(id, text.chat.deleted(title || text.chat.untitled), back, () => void cache.invalidateQueries({ queryKey: ["conversations"] }));
    onGone?.();
    router.push("/");
  };
  return (
    <>
      <IconButton icon={Pencil} label={text.chat.rename} worded={worded} onClick={onRename} />
      <IconButton icon={Trash2} label={text.chat.delete} worded={worded} onClick={remove} />
    </>
  );
}
