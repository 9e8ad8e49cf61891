"use client";
import { useSyncExternalStore } from "react";

const nothing = (): (() => void) => () => undefined;
/** Whether the command key is ⌘ here, or Ctrl. */
export const useIsMac = (): boolean =>
  useSyncExternalStore(
    nothing,
    () => /mac|iphone|ipad/i.test(navigator.userAgent),
    () => false,
  );

const PRINTED: Readonly<Record<string, string>> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  Enter: "↵",
};

/** A key as it is printed on the keyboard in front of the person. `mod` is ⌘ or Ctrl. */
export function Kbd({ children }: { children: string }) {
  const mac = useIsMac();
  const printed = children.replace(/Arrow\w+|Escape|(?<=.)Enter/, (key) => PRINTED[key] ?? key);
  return <kbd>{printed.replace("mod", mac ? "⌘" : "Ctrl ")}</kbd>;
}
