"use client";
import { useId, useLayoutEffect, useRef, type ComponentProps, type ReactNode } from "react";

interface FieldProps extends ComponentProps<"input"> {
  label: string;
  hint?: string;
  /** What is wrong, said at the field. */
  wrong?: string;
  /** `own`: the person's words, in serif on a ruled line. */
  voice?: "plain" | "own" | "mono";
}

/** One line to fill in, with its label, what it means, and what is wrong with it. */
export function Field({ label, hint, wrong, voice = "plain", className, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div className={["field", `voice-${voice}`, className].filter(Boolean).join(" ")}>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <input
        {...rest}
        id={id}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={hint || wrong ? `${id}-hint` : undefined}
      />
      {hint || wrong ? (
        <p id={`${id}-hint`} className={wrong ? "tiny wrong" : "tiny faint"}>
          {wrong ?? hint}
        </p>
      ) : null}
    </div>
  );
}

interface AreaProps extends ComponentProps<"textarea"> {
  label: string;
  hint?: string;
  /** What is wrong, said at the field. */
  wrong?: string;
  voice?: "plain" | "own";
  /** Hide the label from sight; it still names the field. */
  quiet?: boolean;
}

/** Several lines to fill in. Grows with what one writes. */
export function Area({
  label,
  hint,
  wrong,
  voice = "plain",
  quiet = false,
  className,
  value,
  ref,
  ...rest
}: AreaProps) {
  const id = useId();
  const inner = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const area = inner.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  }, [value]);
  return (
    <div className={["field", `voice-${voice}`, className].filter(Boolean).join(" ")}>
      <label className={quiet ? "sr" : "label"} htmlFor={id}>
        {label}
      </label>
      <textarea
        {...rest}
        id={id}
        value={value}
        ref={(node) => {
          inner.current = node;
          if (typeof ref === "function") ref(node);
          else if (ref) ref.current = node;
        }}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={hint || wrong ? `${id}-hint` : undefined}
      />
      {hint || wrong ? (
        <p id={`${id}-hint`} className={wrong ? "tiny wrong" : "tiny faint"}>
          {wrong ?? hint}
        </p>
      ) : null}
    </div>
  );
}

interface SegmentedProps<T extends string> {
  label: string;
  value: T;
  choices: readonly (readonly [T, ReactNode])[];
  onChange: (value: T) => void;
}

/** One of a few, all in sight. */
export function Segmented<T extends string>({
  label,
  value,
  choices,
  onChange,
}: SegmentedProps<T>) {
  const name = useId();
  return (
    <fieldset className="seg-field">
      <legend className="label">{label}</legend>
      <span className="seg">
        {choices.map(([choice, word]) => (
          <label key={choice}>
            <input
              type="radio"
              className="sr"
              name={name}
              value={choice}
              checked={choice === value}
              onChange={() => onChange(choice)}
            />
            <span>{word}</span>
          </label>
        ))}
      </span>
    </fieldset>
  );
}

interface CheckProps {
  label: string;
  /** What it means, where the label alone does not say it. */
  means?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** A yes or no, with its sentence. */
export function Check({ label, means = "", checked, onChange }: CheckProps) {
  const id = useId();
  return (
    <div className="checked">
      <label className="check">
        <input
          type="checkbox"
          checked={checked}
          onChange={(event) => onChange(event.target.checked)}
          aria-describedby={means === "" ? undefined : id}
        />
        <span>{label}</span>
      </label>
      {means === "" ? null : (
        <p id={id} className="tiny faint">
          {means}
        </p>
      )}
    </div>
  );
}
