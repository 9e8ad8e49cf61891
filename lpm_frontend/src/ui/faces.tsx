"use client";
import { Check, Copy } from "lucide-react";
import { useEffect, useImperativeHandle, useState, type ReactNode, type Ref } from "react";
import { useText } from "@/lib/i18n";
import { IconButton } from "./button";

/**
 * The loading face: lines where text will be; the words come after 400 ms, so that a quick answer
 * does not flicker.
 */
export function Loading({ words, lines = 3 }: { words: string; lines?: number }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 400);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="face loading" role="status">
      <p className={late ? "mute small" : "sr"}>{words}</p>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className={`ghost w${line % 3}`} aria-hidden="true" />
      ))}
    </div>
  );
}

/** The empty face: one sentence, and what one can do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="face empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export interface ThreeSentences {
  readonly title: string;
  readonly detail: string;
  readonly hint: ReactNode;
  /** For "Copy for a helper": holds no memory text. */
  readonly report?: string;
}

/** The failed face: what happened, what is safe, what one can do; in place, never in the way. */
export function Failed({
  title,
  detail,
  hint,
  report,
  children,
}: ThreeSentences & { children?: ReactNode }) {
  const text = useText();
  return (
    <div className="face failed" role="alert">
      <p className="what">{title}</p>
      {detail ? <p className="mute">{detail}</p> : null}
      {hint ? <p className="mute">{hint}</p> : null}
      <div className="row wrap">
        {children}
        {report ? (
          <CopyButton value={report} label={text.problem.copy} done={text.problem.copied} />
        ) : null}
      </div>
    </div>
  );
}

/** Copies a text and says so. */
export function CopyButton({
  value,
  label,
  done,
  className,
  act,
}: {
  value: string;
  label: string;
  done: string;
  className?: string;
  /** Copies as a press of the button does. */
  act?: Ref<() => Promise<void>>;
}) {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  useImperativeHandle(act, () => copy);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <>
      <IconButton
        icon={copied ? Check : Copy}
        label={copied ? done : label}
        worded
        {...(className ? { className } : {})}
        onClick={copy}
      />
      <span className="sr" role="status">
        {copied ? done : ""}
      </span>
    </>
  );
}

/** A command to type in a terminal. */
export const Command = ({ children }: { children: string }) => (
  <code className="command">{children}</code>
);
