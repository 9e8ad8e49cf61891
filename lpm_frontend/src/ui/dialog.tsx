"use client";
import { X } from "lucide-react";
import { useEffect, useId, useRef, type ReactNode } from "react";
import { IconButton } from "./button";

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  closeLabel: string;
  /** `sheet` comes from the side or the foot; `card` floats; `full` takes the window. */
  shape?: "card" | "wide" | "sheet" | "full";
  /** Hide the heading where the content speaks for itself; it still names the dialog. */
  bare?: boolean;
  children: ReactNode;
}

/**
 * What floats. The browser's own dialog keeps the focus inside, closes on Escape and gives the
 * focus back.
 */
export function Dialog({
  open,
  onClose,
  title,
  closeLabel,
  shape = "card",
  bare = false,
  children,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (open && !dialog.open) dialog.showModal();
    if (!open && dialog.open) dialog.close();
  }, [open]);
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return undefined;
    const beside = (event: MouseEvent): void => {
      if (event.target === dialog) dialog.close();
    };
    dialog.addEventListener("click", beside);
    return () => dialog.removeEventListener("click", beside);
  }, []);
  return (
    <dialog ref={ref} className={`dialog ${shape}`} aria-labelledby={heading} onClose={onClose}>
      {open ? (
        <div className="dialog-body">
          <header className={bare ? "sr" : "dialog-head"}>
            <h2 id={heading}>{title}</h2>
            {bare ? null : (
              <IconButton icon={X} label={closeLabel} onClick={() => ref.current?.close()} />
            )}
          </header>
          {children}
        </div>
      ) : null}
    </dialog>
  );
}
