"use client";
import { ChevronDown } from "lucide-react";
import { useLayoutEffect, useId, useRef, useState, type ReactNode } from "react";
import { Icon } from "./icon";

interface ChooseProps {
  /** What is chosen here. */
  label: string;
  /** What is chosen now, in words; empty for nothing. */
  chosen: string;
  /** Called when it opens, for what is asked for late. */
  onOpen?: () => void;
  children: ReactNode | ((close: () => void) => ReactNode);
}

/**
 * A small button under which choices open. Escape and a click elsewhere close it, and Escape gives
 * the focus back.
 */
export function Choose({ label, chosen, onOpen, children }: ChooseProps) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    if (!open) return undefined;
    const elsewhere = (event: Event): void => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setOpen(false);
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
      document.getElementById(`${id}-button`)?.focus();
    };
    document.addEventListener("pointerdown", elsewhere);
    document.addEventListener("focusin", elsewhere);
    document.addEventListener("keydown", escape, true);
    return () => {
      document.removeEventListener("pointerdown", elsewhere);
      document.removeEventListener("focusin", elsewhere);
      document.removeEventListener("keydown", escape, true);
    };
  }, [open, id]);
  return (
    <div className="choose" ref={box}>
      <button
        type="button"
        id={`${id}-button`}
        className={chosen === "" ? "choose-button" : "choose-button on"}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => {
          if (!open) onOpen?.();
          setOpen(!open);
        }}
      >
        <span>{label}</span>
        {chosen === "" ? null : <b className="clip">{chosen}</b>}
        <Icon of={ChevronDown} />
      </button>
      {open ? (
        <div className="choose-box" id={id} role="group" aria-label={label}>
          {typeof children === "function"
            ? children(() => {
                setOpen(false);
                document.getElementById(`${id}-button`)?.focus();
              })
            : children}
        </div>
      ) : null}
    </div>
  );
}

export interface Option {
  readonly value: string;
  readonly words: string;
  readonly count?: number;
  /** How far it is indented: a folder in a folder. */
  readonly depth?: number;
}

interface OptionsProps {
  options: readonly Option[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
  /** One at most. */
  single?: boolean;
  /** What stands there when there is nothing to choose from. */
  empty: string;
}

/** A list to tick, each with how many there are. */
export function Options({ options, chosen, onChange, single = false, empty }: OptionsProps) {
  if (options.length === 0) return <p className="tiny faint choose-none">{empty}</p>;
  return (
    <ul className="choose-list">
      {options.map(({ value, words, count, depth = 0 }) => {
        const on = chosen.includes(value);
        return (
          <li key={value}>
            <label style={{ paddingLeft: `${10 + depth * 14}px` }}>
              <input
                type="checkbox"
                checked={on}
                onChange={() =>
                  onChange(
                    on
                      ? chosen.filter((each) => each !== value)
                      : single
                        ? [value]
                        : [...chosen, value],
                  )
                }
              />
              <span className="clip">{words}</span>
              {count === undefined ? null : (
                <span className="num faint">{count.toLocaleString()}</span>
              )}
            </label>
          </li>
        );
      })}
    </ul>
  );
}
