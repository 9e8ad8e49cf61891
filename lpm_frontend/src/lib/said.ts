/** What the node says in English, put into the language of the screens where a translation stands ready; else word for word. */
import type { Check } from "./api/types";
import type { Text } from "./i18n";

/** The sentence of a check. Its numbers stay: they are read out of what the node said. `brief` where there is little room. */
export function checkSentence(check: Check, text: Text, brief = false): string {
  const key = `${check.id}.${check.state}`;
  const say = (brief ? text.welcome.proof[key] : undefined) ?? text.checks[key];
  return say ? say(check.sentence.match(/\d[\d,.]*\d|\d/gu) ?? []) : check.sentence;
}
