"use client";
import { Info, LockKeyhole, LockKeyholeOpen, PencilLine, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useChangeDocument, useDeleteDocument } from "@/lib/api/documents";
import { useRetryJob } from "@/lib/api/jobs";
import type { Document } from "@/lib/api/types";
import { formatBytes, formatDate, useLanguage, useText } from "@/lib/i18n";
import { offerUndo } from "@/lib/undo";
import { Button, IconButton } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Trouble } from "@/ui/trouble";

/** What one can do with a document: seal it, put its title and date right, see its facts, let it go. */
export function Acts({ document, onGone }: { document: Document; onGone: () => void }) {
  const text = useText();
  const change = useChangeDocument();
  const retry = useRetryJob();
  const [dialog, setDialog] = useState<"facts" | "edit" | "delete" | null>(null);
  const close = (): void => setDialog(null);
  const seal = (): void => {
    const back = { id: document.id, change: { private: document.private } };
    change.mutate(
      { id: document.id, change: { private: !document.private } },
      { onSuccess: () => offerUndo({ sentence: (document.private ? text.library.unsealedDone : text.library.sealedDone)(document.title), undo: () => change.mutate(back) }) },
    );
  };
  return (
    <div className="lib-acts">
      <IconButton worded icon={document.private ? LockKeyholeOpen : LockKeyhole} label={document.private ? text.library.unseal : text.library.seal} title={text.library.sealMeans} onClick={seal} />
      <IconButton worded icon={PencilLine} label={text.library.edit} onClick={() => setDialog("edit")} />
      <IconButton icon={Info} label={text.library.details} onClick={() => setDialog("facts")} />
      {document.state === "failed" && document.job ? <IconButton worded icon={RotateCcw} label={text.library.retry} onClick={() => document.job && retry.mutate(document.job)} /> : null}
      <IconButton icon={Trash2} label={text.library.delete} onClick={() => setDialog("delete")} />
      <Dialog open={dialog === "facts"} onClose={close} title={text.library.details} closeLabel={text.frame.close}>
        <Facts document={document} />
      </Dialog>
      <Dialog open={dialog === "edit"} onClose={close} title={text.library.edit} closeLabel={text.frame.close}>
        <Edit document={document} onDone={close} />
      </Dialog>
      <Dialog open={dialog === "delete"} onClose={close} title={text.library.deleteTitle(document.title)} closeLabel={text.frame.close}>
        <Delete document={document} onKeep={close} onGone={onGone} />
      </Dialog>
    </div>
  );
}

function Facts({ document }: { document: Document }) {
  const text = useText();
  const language = useLanguage();
  const facts: readonly (readonly [string, string])[] = [
    [text.library.columns.kind, text.library.kinds[document.kind]],
    [text.library.size, formatBytes(document.bytes, language)],
    [text.library.written, document.created_at ? formatDate(document.created_at, language) : "–"],
    [text.library.added, formatDate(document.added_at, language)],
    [text.library.passages, document.passages.toLocaleString(language)],
    [text.library.columns.tags, document.tags.join(", ") || "–"],
    [text.library.fingerprint, document.sha256],
  ];
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd className={name === text.library.fingerprint ? "mono" : undefined}>{value}</dd>
        </div>
      ))}
    </dl>
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
      tags: tags.split(/[,、，]/u).map((tag) => tag.trim()).filter((tag) => tag !== ""),
      ...(date === "" || date === document.created_at?.slice(0, 10) ? {} : { created_at: date }),
    };
    const back = { title: document.title, tags: document.tags, ...(document.created_at ? { created_at: document.created_at } : {}) };
    change.mutate(
      { id: document.id, change: wanted },
      {
        onSuccess: () => {
          offerUndo({ sentence: text.library.changed(wanted.title), undo: () => change.mutate({ id: document.id, change: back }) });
          onDone();
        },
      },
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
      <Field label={text.library.editTitle} value={title} onChange={(event) => setTitle(event.target.value)} />
      <Field label={text.library.editDate} type="date" value={date} onChange={(event) => setDate(event.target.value)} />
      <Field label={text.library.editTags} value={tags} onChange={(event) => setTags(event.target.value)} />
      {change.isError ? <Trouble error={change.error} /> : null}
      <div className="dialog-acts">
        <Button tone="ink" type="submit" disabled={change.isPending}>
          {text.library.save}
        </Button>
      </div>
    </form>
  );
}

/** Before anything is erased, what goes and what stays is said in words. */
function Delete({ document, onKeep, onGone }: { document: Document; onKeep: () => void; onGone: () => void }) {
  const text = useText();
  const remove = useDeleteDocument();
  return (
    <>
      <div className="going">
        <p>{text.library.deleteGoes(document.passages)}</p>
        <p className="mute">{text.library.deleteStays}</p>
        <p className="final">{text.library.deleteFinal}</p>
      </div>
      {remove.isError ? <Trouble error={remove.error} /> : null}
      <div className="dialog-acts">
        <Button onClick={onKeep}>{text.library.deleteKeep}</Button>
        <Button tone="beni" disabled={remove.isPending} onClick={() => remove.mutate(document.id, { onSuccess: onGone })}>
          {text.library.deleteDo}
        </Button>
      </div>
    </>
  );
}
