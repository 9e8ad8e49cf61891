"use client";
import { CornerDownLeft, Paperclip, Send, Square } from "lucide-react";
import { useCallback, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { send, useCommand } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { Button, IconButton } from "@/ui/button";
import { Area } from "@/ui/field";
import { Kbd } from "@/ui/kbd";

interface ComposerProps {
  writing: boolean;
  /** The role that is asked; empty for the second self. */
  to?: string;
  /** Every one of several roles is asked. */
  all?: boolean;
  /** Who answers, where there is a choice. */
  seats?: ReactNode;
  /** What the answer may look at. */
  looks?: ReactNode;
  /** Nothing has to be said: a role can go on by itself. */
  canGoOn?: boolean;
  onAsk: (question: string) => void;
  onStop: () => void;
}

/**
 * Where one asks. Enter asks, Shift and Enter begin a new line; while a word is being composed (as
 * in Japanese) Enter belongs to the word.
 */
export function Composer({
  writing,
  to = "",
  all = false,
  seats,
  looks,
  canGoOn = false,
  onAsk,
  onStop,
}: ComposerProps) {
  const text = useText();
  const [draft, setDraft] = useState("");
  // Safari ends a composition before it reports the Enter that ended it; the flag falls a moment
  // later.
  const composing = useRef(false);
  const area = useRef<HTMLTextAreaElement>(null);
  useCommand(
    "write",
    useCallback(() => area.current?.focus(), []),
  );
  const ask = (): void => {
    const question = draft.trim();
    if ((question === "" && !canGoOn) || writing) return;
    setDraft("");
    onAsk(question);
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing || composing.current) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      ask();
    }
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <Area
        quiet
        label={text.chat.question}
        voice="own"
        rows={1}
        placeholder={
          all ? text.chat.castAsk : to === "" ? text.chat.placeholder : text.chat.askOf(to)
        }
        value={draft}
        ref={area}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={press}
        onCompositionStart={() => {
          composing.current = true;
        }}
        onCompositionEnd={() => {
          setTimeout(() => {
            composing.current = false;
          }, 30);
        }}
      />
      <div className="composer-scope">
        {seats}
        {looks}
      </div>
      <div className="ctl">
        <IconButton icon={Paperclip} label={text.chat.addFile} worded onClick={() => send("add")} />
        <IconButton
          icon={Send}
          label={text.bridge.open}
          worded
          onClick={() => send("bridge", { request: draft })}
        />
        <span className="push" />
        {writing ? (
          <Button tone="ink" size="small" icon={Square} onClick={onStop} aria-keyshortcuts="Escape">
            {text.chat.stop}
            <Kbd>Esc</Kbd>
          </Button>
        ) : (
          <Button
            tone="ink"
            size="small"
            icon={CornerDownLeft}
            type="submit"
            disabled={draft.trim() === "" && !canGoOn}
          >
            {draft.trim() === "" && canGoOn ? text.chat.goOn : text.chat.ask}
          </Button>
        )}
      </div>
    </form>
  );
}
