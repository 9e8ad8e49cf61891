"use client";
import { useEffect, useState } from "react";
import { useConfirmErasure, useProposeErasure } from "@/lib/api/home";
import type { Document, Erasure } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Field } from "@/ui/field";
import { Trouble } from "@/ui/trouble";

/** Erase for good: first what would go and what cannot be reached, then a word to type. */
export function Erase({ document, onKeep, onGone }: { document: Document; onKeep: () => void; onGone: () => void }) {
  const text = useText();
  const { mutate, data, error, isError } = useProposeErasure();
  useEffect(() => mutate([document.id]), [mutate, document.id]);
  if (isError) return <Trouble error={error} onRetry={() => mutate([document.id])} />;
  if (!data) return <Loading words={text.erase.counting} />;
  return <Preview erasure={data} onKeep={onKeep} onGone={onGone} />;
}

type Places = Readonly<Record<string, ((n: number) => string) | undefined>>;
type Sentences = Readonly<Record<string, string | undefined>>;

function Preview({ erasure, onKeep, onGone }: { erasure: Erasure; onKeep: () => void; onGone: () => void }) {
  const text = useText();
  const confirm = useConfirmErasure();
  const [typed, setTyped] = useState("");
  const go: Places = text.erase.go;
  const stay: Sentences = text.erase.stay;
  const meant = typed.trim().toLowerCase() === text.erase.word;
  return (
    <form
      className="add-text"
      onSubmit={(event) => {
        event.preventDefault();
        if (meant) confirm.mutate(erasure.token, { onSuccess: onGone });
      }}
    >
      <div className="going">
        <p>{text.erase.goes}</p>
        <ul className="share">
          {erasure.goes.filter((each) => each.count > 0).map((each) => (
            <li key={each.place}>{go[each.place]?.(each.count) ?? each.sentence}</li>
          ))}
        </ul>
        <p className="mute">{text.erase.stays}</p>
        <ul className="share mute">
          {erasure.stays.map((each) => (
            <li key={each.place}>{stay[each.place] ?? each.sentence}</li>
          ))}
        </ul>
        <p className="final">{text.erase.final}</p>
      </div>
      <Field label={text.erase.type(text.erase.word)} autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
      {confirm.isError ? <Trouble error={confirm.error} /> : null}
      <div className="dialog-acts">
        <Button onClick={onKeep}>{text.erase.keep}</Button>
        <Button tone="beni" type="submit" disabled={!meant || confirm.isPending}>
          {text.erase.does}
        </Button>
      </div>
    </form>
  );
}
