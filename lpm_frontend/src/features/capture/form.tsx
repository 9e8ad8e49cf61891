"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { addText, refreshLibrary, useDeleteDocument } from "@/lib/api/documents";
import { dayName, today } from "@/lib/days";
import { useLanguage, useText } from "@/lib/i18n";
import { useCaptureText } from "@/lib/i18n/capture";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Area, Check } from "@/ui/field";
import { Kbd } from "@/ui/kbd";
import { Trouble } from "@/ui/trouble";
import { keepDraft, NO_DRAFT, readDraft, type Draft } from "./draft";
import { entryOf, stamp } from "./entry";
import { GoingOn } from "./going-on";
import { DictateButton } from "./dictate";

/** The key that saves, beside the button. */
const SAVE = "modEnter";

/**
 * Today's entry: what is written is kept until it is saved, and saved it is a document of its own.
 */
export function EntryForm({ onDone }: { onDone: () => void }) {
  const text = useText();
  const t = useCaptureText();
  const language = useLanguage();
  const [draft, setDraft] = useState<Draft>(readDraft);
  const [closed, setClosed] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const cache = useQueryClient();
  const { mutate: remove } = useDeleteDocument();
  const save = useMutation({
    mutationFn: ({ words, moment }: Draft) => {
      const { text: body, ...about } = entryOf(words, moment, language);
      return addText(body, { ...about, folder: t.capture.folder, private: closed });
    },
    onSuccess: () => refreshLibrary(cache),
  });
  const write = (next: Draft): void => {
    setDraft(next);
    keepDraft(next);
  };
  const say = (words: string): void => write({ words, moment: "" });
  useLayoutEffect(() => {
    const area = field.current;
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }, []);
  const blank = draft.words.trim() === "";
  const keep = (): void => {
    if (blank || save.isPending) return;
    // The same moment at another try: were the answer lost on its way, there is still one entry.
    const tried = { ...draft, moment: draft.moment || stamp(new Date()) };
    write(tried);
    const saved = save.mutateAsync(tried, {
      onSuccess: () => {
        keepDraft(NO_DRAFT);
        onDone();
      },
    });
    offerUndoWhen(saved, ({ document }) => ({
      sentence: t.capture.saved,
      undo: () => {
        if (readDraft().words === "") keepDraft({ ...tried, moment: "" });
        remove(document.id);
      },
    }));
  };
  /** Put words where the cursor is. */
  const insert = (words: string): void => {
    const area = field.current;
    const [from, to] = [area?.selectionStart ?? 0, area?.selectionEnd ?? 0];
    const before = draft.words.slice(0, from);
    const apart = before === "" || /\s$/u.test(before) ? "" : " ";
    say(`${before}${apart}${words}${draft.words.slice(to)}`);
    area?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      keep();
    }
  };
  return (
    <form
      className="capture"
      onSubmit={(event) => {
        event.preventDefault();
        keep();
      }}
    >
      <Area
        label={t.capture.label(dayName(today(), language))}
        voice="own"
        rows={5}
        placeholder={t.capture.placeholder}
        value={draft.words}
        ref={field}
        onChange={(event) => say(event.target.value)}
        onKeyDown={press}
      />
      {save.isError ? (
        <>
          <Trouble error={save.error} />
          <p className="small mute">{t.capture.kept}</p>
        </>
      ) : null}
      <GoingOn onInsert={insert} onLeave={onDone} />
      <div className="capture-foot">
        <Check label={text.library.private} checked={closed} onChange={setClosed} />
        <DictateButton onWords={insert} />
        <Button tone="ink" type="submit" disabled={blank || save.isPending}>
          {save.isPending ? t.capture.saving : t.capture.save}
          <Kbd>{SAVE}</Kbd>
        </Button>
      </div>
    </form>
  );
}
