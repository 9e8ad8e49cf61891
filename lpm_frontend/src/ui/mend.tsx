"use client";
import { useState, type KeyboardEvent } from "react";
import { useText } from "@/lib/i18n";
import { Button } from "./button";
import { Area } from "./field";

/** How a sentence reads rightly, written in its place. */
export function MendForm({
  said,
  busy,
  onMend,
  onLeave,
}: {
  said: string;
  busy: boolean;
  onMend: (content: string) => void;
  onLeave: () => void;
}) {
  const text = useText();
  const [words, setWords] = useState(said);
  const leave = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    onLeave();
  };
  return (
    <form
      className="mend"
      onSubmit={(event) => {
        event.preventDefault();
        if (words.trim() !== "") onMend(words.trim());
      }}
    >
      <Area
        label={text.findings.mendLabel}
        voice="own"
        rows={2}
        maxLength={2000}
        // One asked for the field by pressing Mend.
        // eslint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={leave}
      />
      <div className="row">
        <Button
          size="small"
          tone="ink"
          type="submit"
          disabled={busy || words.trim() === "" || words.trim() === said}
        >
          {text.findings.mendDo}
        </Button>
        <Button size="small" tone="quiet" onClick={onLeave}>
          {text.findings.mendNot}
        </Button>
      </div>
    </form>
  );
}
