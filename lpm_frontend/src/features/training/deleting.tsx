"use client";
import { useState } from "react";
import { useDeleteTraining } from "@/lib/api/training";
import type { Training } from "@/lib/api/types";
import { useTrainingText } from "@/lib/i18n/training";
import { Button } from "@/ui/button";
import { useReturn } from "@/ui/return";
import { Trouble } from "@/ui/trouble";

/** Asked twice: what goes cannot come back. */
export function Delete({
  run,
  word,
  size,
  onDeleted,
}: {
  run: Training;
  /** What the button says. */
  word: string;
  size: "small" | "big";
  onDeleted?: () => void;
}) {
  const t = useTrainingText();
  const remove = useDeleteTraining();
  const [sure, setSure] = useState(false);
  const back = useReturn(sure);
  if (!sure) {
    return (
      <Button
        tone="quiet"
        size={size}
        ref={back}
        aria-label={`${word} · ${t.place.one(run.number)}`}
        onClick={() => setSure(true)}
      >
        {word}
      </Button>
    );
  }
  return (
    <div className="version-delete" role="group" aria-label={t.versions.deleteWhat(run.number)}>
      <p className="small">
        <b>{t.versions.deleteWhat(run.number)}</b> {t.versions.deleteMeans}
      </p>
      <div className="row wrap">
        <Button
          tone="beni"
          size="small"
          disabled={remove.isPending}
          onClick={() => void remove.mutateAsync(run.id).then(onDeleted, () => undefined)}
        >
          {t.versions.deleteDo}
        </Button>
        {/* One asked for the choice by pressing the button: the harmless one has the focus. */}
        {/* eslint-disable-next-line jsx-a11y/no-autofocus */}
        <Button tone="quiet" size="small" autoFocus onClick={() => setSure(false)}>
          {t.versions.keep}
        </Button>
      </div>
      {remove.isError ? <Trouble error={remove.error} /> : null}
    </div>
  );
}
