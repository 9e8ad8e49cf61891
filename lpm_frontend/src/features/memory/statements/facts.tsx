"use client";
import { LockKeyhole, PencilLine } from "lucide-react";
import type { Memory } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { fileOf } from "@/lib/statement";
import { placeOf, SourceLine } from "@/ui/evidence";
import { Icon } from "@/ui/icon";
import { Sure } from "@/ui/sure";

/**
 * Its file in the workspace; for what stands elsewhere, or stood in a file that reads otherwise by
 * now, the title.
 */
export const fileNameOf = (memory: Memory): string =>
  memory.editable ? fileOf(memory.source) : (memory.evidence[0]?.title ?? fileOf(memory.source));

/** The line of a file where it stands. */
export function Line({ memory }: { memory: Memory }) {
  const text = useText();
  return <SourceLine title={fileNameOf(memory)} kind="markdown" place={placeOf(memory, text)} />;
}

/** Its kind in words, how sure, whether it is private and was put right. */
export function Marks({ memory }: { memory: Memory }) {
  const text = useText();
  return (
    <>
      <span>{text.statements.names[memory.kind]}</span>
      {memory.confidence === null ? null : <Sure confidence={memory.confidence} />}
      {memory.private ? (
        <span className="chip">
          <Icon of={LockKeyhole} />
          {text.evidence.private}
        </span>
      ) : null}
      {memory.corrected ? (
        <span className="chip">
          <Icon of={PencilLine} />
          {text.memory.corrected}
        </span>
      ) : null}
    </>
  );
}
