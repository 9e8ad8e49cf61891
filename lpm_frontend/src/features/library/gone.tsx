"use client";
import { Undo2, X } from "lucide-react";
import { useState } from "react";
import { useRestoreDocument } from "@/lib/api/documents";
import type { Document } from "@/lib/api/types";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { plain } from "@/lib/plain";
import { Button, IconButton } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Quote } from "@/ui/evidence";
import { Trouble } from "@/ui/trouble";
import { Facts, Sayings } from "./about";
import { Erase } from "./erase";

/**
 * A document that was deleted: what it was, until when it can come back, bringing it back, erasing
 * it for good.
 */
export function Gone({
  document,
  onClose,
  onErased,
}: {
  document: Document;
  onClose: () => void;
  onErased: () => void;
}) {
  const text = useText();
  const language = useLanguage();
  const restore = useRestoreDocument();
  const [erasing, setErasing] = useState(false);
  const close = (): void => setErasing(false);
  return (
    <div className="about">
      <div className="gone-head">
        <div className="gone-title">
          <h2>{document.title}</h2>
          <IconButton icon={X} label={text.frame.close} onClick={onClose} />
        </div>
        <p className="mute small">
          {text.shelves.deletedOn(formatDate(document.deleted_at ?? "", language))}
          {document.goes_at
            ? ` ${text.shelves.goesOn(formatDate(document.goes_at, language))}`
            : ""}
        </p>
        <div className="row wrap">
          <Button
            tone="ink"
            size="small"
            icon={Undo2}
            disabled={restore.isPending}
            onClick={() => restore.mutate(document.id)}
          >
            {text.shelves.restore}
          </Button>
          <Button tone="quiet" size="small" onClick={() => setErasing(true)}>
            {text.erase.open}
          </Button>
        </div>
        {restore.isError ? <Trouble error={restore.error} /> : null}
      </div>
      <Sayings document={document}>
        {(sentence) => <Quote author={sentence.author ?? null}>{plain(sentence.text)}</Quote>}
      </Sayings>
      <Facts document={document} />
      <Dialog
        open={erasing}
        onClose={close}
        title={text.erase.title(document.title)}
        closeLabel={text.frame.close}
      >
        <Erase document={document} onKeep={close} onGone={onErased} />
      </Dialog>
    </div>
  );
}
