/**
 * What a screen may ask of the frame, or the frame of the screen that is open, without either
 * knowing the other.
 */
import { useLayoutEffect } from "react";

export interface CommandArguments {
  /** Open the palette. */
  palette: undefined;
  /** Open the dialog that adds documents, with files if some were dropped. */
  add: { readonly files?: readonly File[] } | undefined;
  /** Write an entry of today. */
  capture: undefined;
  /** Show the table of keys. */
  keys: undefined;
  /** New of this place. */
  new: undefined;
  /** A new conversation of which nothing is kept. */
  newPrivate: undefined;
  /** Put the cursor where one writes or searches here. */
  write: undefined;
  /** Margin open or shut. */
  margin: undefined;
  /** Next or previous in the list of this place. */
  step: { readonly by: 1 | -1 };
  /** Next or previous source. */
  source: { readonly by: 1 | -1 };
  /** Copy the answer one is at. */
  copy: undefined;
  /** Answer the question one is at again. */
  again: undefined;
  /** Print what is open here. */
  print: undefined;
  /** Make a request to somebody elsewhere complete, beginning with these words. */
  bridge: { readonly request: string } | undefined;
  /** Stop the model, close what floats. */
  stop: undefined;
  /** Ask this in a new conversation. */
  ask: { readonly question: string };
}
export type Command = keyof CommandArguments;

const target = new EventTarget();

export function send<C extends Command>(
  command: C,
  ...rest: undefined extends CommandArguments[C] ? [CommandArguments[C]?] : [CommandArguments[C]]
): void {
  target.dispatchEvent(new CustomEvent<unknown>(command, { detail: rest[0] }));
}

/**
 * Answer a command while this component is on screen. What answers changes together with what is
 * seen, not a moment after: a key that is pressed at once means what stands there.
 */
export function useCommand<C extends Command>(
  command: C,
  answer: (detail: CommandArguments[C]) => void,
): void {
  useLayoutEffect(() => {
    const listen = (event: Event): void =>
      answer((event as CustomEvent<CommandArguments[C]>).detail);
    target.addEventListener(command, listen);
    return () => target.removeEventListener(command, listen);
  }, [command, answer]);
}
