/** What is written and not saved yet. It outlasts the page. */
import { keepChoice, readChoice } from "@/lib/choice";

export interface Draft {
  readonly words: string;
  /** When it was first tried to save just these words; empty before that. */
  readonly moment: string;
}

const WORDS = "entry";
const MOMENT = "entry-moment";

export const readDraft = (): Draft => ({
  words: readChoice(WORDS, ""),
  moment: readChoice(MOMENT, ""),
});

export function keepDraft({ words, moment }: Draft): void {
  keepChoice(WORDS, words);
  keepChoice(MOMENT, moment);
}

export const NO_DRAFT: Draft = { words: "", moment: "" };
