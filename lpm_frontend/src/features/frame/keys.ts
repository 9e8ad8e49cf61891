"use client";
import { useLayoutEffect } from "react";
import { send } from "@/lib/commands";
import { undoLast } from "@/lib/undo";
import { PLACES } from "./places";

const TEXT_FIELDS =
  "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";

/**
 * The keys of the whole house. Single keys rest in text fields and while something floats, and can
 * be switched off.
 */
export function useHouseKeys(singleKeys: boolean, go: (href: string) => void): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const inText = event.target instanceof Element && isWritten(event.target);
      const floating = document.querySelector("dialog[open]") !== null;
      const mod = event.metaKey || event.ctrlKey;
      if (mod && !event.shiftKey && !event.altKey) {
        if (event.key.toLowerCase() === "k") {
          event.preventDefault();
          send("palette");
        } else if (event.key.toLowerCase() === "z" && !inText && !floating) {
          event.preventDefault();
          undoLast();
        }
        return;
      }
      if (event.key === "Escape" && !floating) {
        // Out of the field first, so that single keys work again; what was typed stays.
        if (inText) leave(event);
        send("stop");
      }
      if (event.altKey || inText || floating || !singleKeys) return;
      const act = singleKey(event.key, go);
      if (act) {
        event.preventDefault();
        act();
      }
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [singleKeys, go]);
}

/** For a moment a key still comes to the field of a dialog that has just closed. */
function isWritten(target: Element): boolean {
  return target.closest(TEXT_FIELDS) !== null && target.closest("dialog:not([open])") === null;
}

function leave(event: KeyboardEvent): void {
  event.preventDefault();
  (event.target as HTMLElement).blur();
}

function singleKey(key: string, go: (href: string) => void): (() => void) | undefined {
  const place = PLACES[Number(key) - 1];
  if (place) return () => go(place.href);
  const acts: Readonly<Record<string, () => void>> = {
    "/": () => send("write"),
    "?": () => send("keys"),
    n: () => send("new"),
    N: () => send("newPrivate"),
    w: () => send("capture"),
    e: () => send("margin"),
    j: () => send("step", { by: 1 }),
    k: () => send("step", { by: -1 }),
    "]": () => send("source", { by: 1 }),
    "[": () => send("source", { by: -1 }),
    c: () => send("copy"),
    r: () => send("again"),
    p: () => send("print"),
  };
  return acts[key];
}
