"use client";
import { useState } from "react";
import type { AddOptions } from "@/lib/api/documents";
import { useText } from "@/lib/i18n";
import { takeText } from "@/lib/intake";
import { Button } from "@/ui/button";
import { Area, Field } from "@/ui/field";

/** A text to paste, with its title and the day it was written. */
export function PasteForm({ options, onDone }: { options: AddOptions; onDone: () => void }) {
  const text = useText();
  const [body, setBody] = useState("");
  const [title, setTitle] = useState("");
  const [date, setDate] = useState("");
  return (
    <form
      className="add-text"
      onSubmit={(event) => {
        event.preventDefault();
        takeText(body, {
          ...options,
          ...(title.trim() === "" ? {} : { title: title.trim() }),
          ...(date === "" ? {} : { created_at: date }),
        });
        onDone();
      }}
    >
      <Area
        label={text.add.pasteLabel}
        voice="own"
        placeholder={text.add.pastePlaceholder}
        value={body}
        onChange={(event) => setBody(event.target.value)}
      />
      <div className="add-pair">
        <Field
          label={text.add.pasteTitle}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <Field
          label={text.add.pasteDate}
          type="date"
          value={date}
          onChange={(event) => setDate(event.target.value)}
        />
      </div>
      <div>
        <Button tone="ink" type="submit" disabled={body.trim() === ""}>
          {text.add.pasteAdd}
        </Button>
      </div>
    </form>
  );
}
