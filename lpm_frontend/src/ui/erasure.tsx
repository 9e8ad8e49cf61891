"use client";
import { useState } from "react";
import type { Erasure } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { Button } from "./button";
import { Field } from "./field";
import { Trouble } from "./trouble";

type Places = Readonly<Record<string, ((n: number) => string) | undefined>>;
type Sentences = Readonly<Record<string, string | undefined>>;

interface ErasurePreviewProps {
  erasure: Erasure;
  /** What erases it. */
  does: string;
  busy: boolean;
  error: unknown;
  onKeep: () => void;
  onErase: () => void;
}

/**
 * The second step of erasing: what would go, what cannot be reached, and a word to type before it
 * does.
 */
export function ErasurePreview({
  erasure,
  does,
  busy,
  error,
  onKeep,
  onErase,
}: ErasurePreviewProps) {
  const text = useText();
  const [typed, setTyped] = useState("");
  const go: Places = text.erase.go;
  const stay: Sentences = text.erase.stay;
  const meant = typed.trim().toLowerCase() === text.erase.word;
  return (
    <form
      className="erasure"
      onSubmit={(event) => {
        event.preventDefault();
        if (meant) onErase();
      }}
    >
      <div className="going">
        <p>{text.erase.goes}</p>
        <ul className="share">
          {erasure.goes
            .filter((each) => each.count > 0)
            .map((each) => (
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
      <Field
        label={text.erase.type(text.erase.word)}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {error ? <Trouble error={error} /> : null}
      <div className="row wrap erasure-acts">
        <Button onClick={onKeep}>{text.erase.keep}</Button>
        <Button tone="beni" type="submit" disabled={!meant || busy}>
          {does}
        </Button>
      </div>
    </form>
  );
}
