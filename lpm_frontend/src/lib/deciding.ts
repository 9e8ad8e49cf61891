/**
 * Keep, mend or forget the words at a place of a document, with the way back offered at the foot of
 * the page.
 */
import { useState } from "react";
import { useDecideAt, useUndecide } from "./api/findings";
import type { Decision } from "./api/types";
import { useText } from "./i18n";
import { offerUndoWhen } from "./undo";

interface Words {
  readonly document: string;
  readonly start: number;
  readonly end: number;
}
type Verdict = Decision["decision"];

export interface Deciding {
  readonly settle: (at: Words, verdict: Verdict, content?: string) => void;
  /** What was decided last; nothing once it was taken back. */
  readonly done: { readonly verdict: Verdict; readonly content: string } | null;
  readonly busy: boolean;
  readonly error: Error | null;
}

export function useDeciding(): Deciding {
  const text = useText();
  const decide = useDecideAt();
  const { mutate: undecide } = useUndecide();
  const [done, setDone] = useState<Deciding["done"]>(null);
  const settle: Deciding["settle"] = ({ document, start, end }, verdict, content = "") =>
    offerUndoWhen(
      decide.mutateAsync(
        { document, start, end, decision: verdict, content },
        { onSuccess: () => setDone({ verdict, content }) },
      ),
      ({ id }) => ({
        sentence: text.findings.did[verdict],
        undo: () => {
          setDone(null);
          undecide(id);
        },
      }),
    );
  return { settle, done, busy: decide.isPending, error: decide.error };
}
