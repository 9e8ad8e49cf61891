/** Small choices about how something is shown, remembered beside the page. */
import { useSyncExternalStore } from "react";

const KEY = "second-me-";
const listeners = new Set<() => void>();

/** What was chosen last, or what is usual; to be read once. */
export const readChoice = (name: string, usual: string): string => {
  try {
    return localStorage.getItem(KEY + name) ?? usual;
  } catch {
    return usual;
  }
};

/** What was chosen last, or what is usual. */
export const useChoice = (name: string, usual: string): string =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => readChoice(name, usual),
    () => usual,
  );

export function keepChoice(name: string, value: string): void {
  try {
    if (value === "") localStorage.removeItem(KEY + name);
    else localStorage.setItem(KEY + name, value);
  } catch {
    // Without storage the choice lasts as long as nobody can remember it.
  }
  for (const listener of listeners) listener();
}
