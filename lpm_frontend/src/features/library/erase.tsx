"use client";
import { useEffect } from "react";
import { useConfirmErasure, useProposeErasure } from "@/lib/api/home";
import type { Document } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { ErasurePreview } from "@/ui/erasure";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";

/** Erase a document for good: what would go is counted first. */
export function Erase({
  document,
  onKeep,
  onGone,
}: {
  document: Document;
  onKeep: () => void;
  onGone: () => void;
}) {
  const text = useText();
  const { mutate, data, error, isError } = useProposeErasure();
  const confirm = useConfirmErasure([document.id]);
  useEffect(() => mutate([document.id]), [mutate, document.id]);
  if (isError) return <Trouble error={error} onRetry={() => mutate([document.id])} />;
  if (!data) return <Loading words={text.erase.counting} />;
  return (
    <ErasurePreview
      erasure={data}
      does={text.erase.does}
      busy={confirm.isPending}
      error={confirm.error}
      onKeep={onKeep}
      onErase={() => void confirm.mutateAsync(data.token).then(onGone, () => undefined)}
    />
  );
}
