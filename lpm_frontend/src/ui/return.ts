"use client";
import { useEffect, useRef, type RefObject } from "react";

/** The button that opened a field in its own place takes the focus back when the field has gone. */
export function useReturn(open: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const was = useRef(open);
  useEffect(() => {
    if (
      was.current &&
      !open &&
      (document.activeElement === null || document.activeElement === document.body)
    )
      button.current?.focus({ preventScroll: true });
    was.current = open;
  }, [open]);
  return button;
}
