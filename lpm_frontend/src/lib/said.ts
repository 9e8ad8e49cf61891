/** What the node says in English, put into the language of the screens where a translation stands ready; else word for word. */
import type { Check } from "./api/types";
import type { Text } from "./i18n";

/** The sentence of a check. Its numbers stay: they are read out of what the node said. */
export function checkSentence(check: Check, text: Text): string {
  const say = text.checks[`${check.id}.${check.state}`];
  return say ? say(check.sentence.match(/\d[\d,.]*\d|\d/gu) ?? []) : check.sentence;
}
