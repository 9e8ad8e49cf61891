"use client";
import { useEffect, useRef, useState } from "react";
import type { Memory } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { namesOf, STATEMENT_KINDS, type StatementKind } from "@/lib/statement";
import { Button } from "@/ui/button";
import { Area, Field, Segmented } from "@/ui/field";
import { SureField } from "@/ui/sure";
import { Trouble } from "@/ui/trouble";

/** A statement in its parts. */
export type Parts = Pick<Memory, "content" | "entities" | "confidence"> & {
  readonly kind: StatementKind;
};

interface StatementFormProps {
  /** What stands there now. */
  parts: Parts;
  /** What the button says. */
  action: string;
  busy: boolean;
  /** Why the last try was refused; null for none. */
  error: unknown;
  onWrite: (parts: Parts) => void;
  onLeave?: () => void;
}

/** What holds, of what kind, about whom, and how sure. What is wrong is said at its field. */
export function StatementForm({
  parts,
  action,
  busy,
  error,
  onWrite,
  onLeave,
}: StatementFormProps) {
  const text = useText();
  const [content, setContent] = useState(parts.content);
  const [kind, setKind] = useState<StatementKind>(parts.kind);
  const [names, setNames] = useState(parts.entities.join(", "));
  const [confidence, setConfidence] = useState(parts.confidence);
  const [missing, setMissing] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  // One asked for the field by pressing Keep or Mend; a dialog around it takes the focus first.
  useEffect(() => {
    const frame = requestAnimationFrame(() => field.current?.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <form
      className="statement-form"
      onSubmit={(event) => {
        event.preventDefault();
        setMissing(content.trim() === "");
        if (content.trim() !== "")
          onWrite({ content: content.trim(), kind, entities: namesOf(names), confidence });
      }}
    >
      <Area
        label={text.memory.what}
        hint={text.memory.whatHint}
        {...(missing && content.trim() === "" ? { wrong: text.memory.whatMissing } : {})}
        voice="own"
        rows={2}
        maxLength={2000}
        ref={field}
        value={content}
        onChange={(event) => setContent(event.target.value)}
      />
      <div className="seg-field">
        <Segmented
          label={text.statements.kind}
          value={kind}
          choices={STATEMENT_KINDS.map((each) => [each, text.statements.names[each]] as const)}
          onChange={setKind}
        />
        <p className="tiny faint">{text.statements.means[kind]}</p>
      </div>
      <Field
        label={text.memory.whom}
        hint={text.memory.whomHint}
        voice="own"
        value={names}
        onChange={(event) => setNames(event.target.value)}
      />
      <SureField confidence={confidence} onChange={setConfidence} />
      {error === null ? null : <Trouble error={error} />}
      <div className="dialog-acts">
        {busy ? (
          <span className="small faint" role="status">
            {text.memory.writing}
          </span>
        ) : null}
        {onLeave ? (
          <Button tone="quiet" onClick={onLeave}>
            {text.findings.mendNot}
          </Button>
        ) : null}
        <Button tone="ink" type="submit" disabled={busy}>
          {action}
        </Button>
      </div>
    </form>
  );
}
