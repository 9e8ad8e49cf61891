"use client";
import { PencilLine, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useChangeDocument, useDeleteDocument, useRestoreDocument } from "@/lib/api/documents";
import { useRetryJob } from "@/lib/api/jobs";
import type { Document } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { offerUndoWhen } from "@/lib/undo";
import { Button, IconButton } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Check, Field } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { Erase } from "./erase";

/**
 * What one can do with a document: keep it private, put its title and date right, see its facts,
 * let it go.
 */
export function Acts({
  document,
  onGone,
  onBack,
}: {
  document: Document;
  onGone: () => void;
  onBack: () => void;
}) {
  const text = useText();
  const change = useChangeDocument();
  const retry = useRetryJob();
  const [dialog, setDialog] = useState<"edit" | "delete" | "erase" | null>(null);
  const close = (): void => setDialog(null);
  const keepPrivate = (on: boolean): void => {
    const back = { id: document.id, change: { private: !on } };
    offerUndoWhen(change.mutateAsync({ id: document.id, change: { private: on } }), () => ({
      sentence: (on ? text.library.madePrivate : text.library.madeOpen)(document.title),
      undo: () => change.mutate(back),
    }));
  };
  return (
    <div className="lib-acts">
      <Check
        label={text.library.private}
        means={text.library.privateMeans}
        checked={
          (change.isPending ? change.variables.change.private : undefined) ?? document.private
        }
        onChange={keepPrivate}
      />
      {change.isError ? <Trouble error={change.error} /> : null}
      <IconButton
        worded
        icon={PencilLine}
        label={text.library.edit}
        onClick={() => setDialog("edit")}
      />
      {document.state === "failed" && document.job ? (
        <IconButton
          worded
          icon={RotateCcw}
          label={text.library.retry}
          onClick={() => document.job && retry.mutate(document.job)}
        />
      ) : null}
      <IconButton
        worded
        className="push"
        icon={Trash2}
        label={text.library.delete}
        onClick={() => setDialog("delete")}
      />
      <Dialog
        open={dialog === "edit"}
        onClose={close}
        title={text.library.edit}
        closeLabel={text.frame.close}
      >
        <Edit document={document} onDone={close} />
      </Dialog>
      <Dialog
        open={dialog === "delete"}
        onClose={() => setDialog((now) => (now === "delete" ? null : now))}
        title={text.library.deleteTitle(document.title)}
        closeLabel={text.frame.close}
      >
        <Delete
          document={document}
          onKeep={close}
          onGone={onGone}
          onBack={onBack}
          onErase={() => setDialog("erase")}
        />
      </Dialog>
      <Dialog
        open={dialog === "erase"}
        onClose={close}
        title={text.erase.title(document.title)}
        closeLabel={text.frame.close}
      >
        <Erase document={document} onKeep={close} onGone={onGone} />
      </Dialog>
    </div>
  );
}

function Edit({ document, onDone }: { document: Document; onDone: () => void }) {
  const text = useText();
  const change = useChangeDocument();
  const [title, setTitle] = useState(document.title);
  const [date, setDate] = useState(document.created_at?.slice(0, 10) ?? "");
  const [tags, setTags] = useState(document.tags.join(", "));
  const save = (): void => {
    const wanted = {
      title: title.trim() || document.title,
      tags: tags
        .split(/[,、，]/u)
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ""),
      ...(date === "" || date === document.created_at?.slice(0, 10) ? {} : { created_at: date }),
    };
    const back = {
      title: document.title,
      tags: document.tags,
      ...(document.created_at ? { created_at: document.created_at } : {}),
    };
    offerUndoWhen(
      change.mutateAsync({ id: document.id, change: wanted }, { onSuccess: onDone }),
      () => ({
        sentence: text.library.changed(wanted.title),
        undo: () => change.mutate({ id: document.id, change: back }),
      }),
    );
  };
  return (
    <form
      className="add-text"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Field
        label={text.library.editTitle}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <Field
        label={text.library.editDate}
        type="date"
        value={date}
        onChange={(event) => setDate(event.target.value)}
      />
      <Field
        label={text.library.editTags}
        value={tags}
        onChange={(event) => setTags(event.target.value)}
      />
      {change.isError ? <Trouble error={change.error} /> : null}
      <div className="dialog-acts">
        <Button tone="ink" type="submit" disabled={change.isPending}>
          {text.library.save}
        </Button>
      </div>
    </form>
  );
}

/** What goes and what stays is said in words; it can come back for a while. */
function Delete({
  document,
  onKeep,
  onGone,
  onBack,
  onErase,
}: {
  document: Document;
  onKeep: () => void;
  onGone: () => void;
  onBack: () => void;
  onErase: () => void;
}) {
  const text = useText();
  const remove = useDeleteDocument();
  const restore = useRestoreDocument();
  const go = (): void =>
    offerUndoWhen(remove.mutateAsync(document.id, { onSuccess: onGone }), () => ({
      sentence: text.shelves.deletedDone(1),
      undo: async () => {
        await restore.mutateAsync(document.id);
        onBack();
      },
    }));
  return (
    <>
      <div className="going">
        <p>{text.library.deleteGoes(document.passages)}</p>
        <p className="mute">{text.library.deleteStays}</p>
        <p>{text.shelves.deleteKeeps(30)}</p>
      </div>
      {remove.isError ? <Trouble error={remove.error} /> : null}
      <div className="dialog-acts">
        <Button tone="quiet" onClick={onErase}>
          {text.erase.open}
        </Button>
        <Button onClick={onKeep}>{text.library.deleteKeep}</Button>
        <Button tone="ink" disabled={remove.isPending} onClick={go}>
          {text.library.deleteDo}
        </Button>
      </div>
    </>
  );
}
