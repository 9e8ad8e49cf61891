/**
 * What the node says in English, put into the language of the screens where a translation stands
 * ready; else word for word.
 */
import { isObject } from "./api/json";
import type { Check, Job } from "./api/types";
import type { Text } from "./i18n";

/**
 * The sentence of a check. Its numbers stay: they are read out of what the node said. `brief` where
 * there is little room.
 */
export function checkSentence(check: Check, text: Text, brief = false): string {
  const key = `${check.id}.${check.state}`;
  const say = (brief ? text.welcome.proof[key] : undefined) ?? text.checks[key];
  return say ? say(check.sentence.match(/\d[\d,.]*\d|\d/gu) ?? []) : check.sentence;
}

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

/**
 * What came of a job, out of its figures; empty where there is nothing to say beyond that it is
 * done.
 */
export function jobOutcome(job: Job, text: Text): string {
  const result = job.result ?? {};
  switch (job.kind) {
    case "import":
      return joined([
        text.outcomes.import(
          numberOf(result["documents"]),
          numberOf(result["conversations"]),
          numberOf(result["known"]),
          numberOf(result["erased"]),
        ),
        ...peopleOutcome(isObject(result["people"]) ? result["people"] : {}, text),
      ]);
    case "backup":
      return text.outcomes.backup(numberOf(result["documents"]));
    case "export":
      return text.outcomes.export(numberOf(result["documents"]), numberOf(result["conversations"]));
    default:
      return "";
  }
}

/** Sentences one after the other: Japanese ones stand without a space between them. */
const joined = (sentences: readonly string[]): string =>
  sentences.join(sentences[0]?.endsWith("。") ? "" : " ");

/** What came of contacts and tables in an archive, and what stayed out. */
function peopleOutcome(result: Readonly<Record<string, unknown>>, text: Text): readonly string[] {
  const of = (name: string): number => numberOf(result[name]);
  const said: readonly (readonly [number, string])[] = [
    [of("contacts") + of("tables"), text.outcomes.people(of("contacts"), of("tables"))],
    [of("strangers"), text.outcomes.strangers(of("strangers"))],
    [of("grants_over"), text.outcomes.grantsOver(of("grants_over"))],
    [of("tables_open"), text.outcomes.tablesOpen(of("tables_open"))],
    [of("erased"), text.outcomes.peopleErased(of("erased"))],
  ];
  return said.filter(([n]) => n > 0).map(([, sentence]) => sentence);
}

/** How far a step is, where its message counts something: "3 of 12". */
export function jobCount(job: Job, text: Text): string {
  const found = /(\d[\d,]*) of (\d[\d,]*)( MB)?/u.exec(job.message);
  return found ? text.outcomes.of(found[1] ?? "", found[2] ?? "", found[3] ?? "") : "";
}

/**
 * One thing that a check of the home found, by its code; what has none is said as the node says it.
 */
export function findingSentence(
  finding: {
    readonly sentence: string;
    readonly code?: string;
    readonly values?: readonly (string | number)[];
  },
  text: Text,
): string {
  return text.found[finding.code ?? ""]?.(finding.values ?? []) ?? finding.sentence;
}

/** A fact of the list of what happened, with its name; empty where it says nothing to a person. */
export function factSentence(name: string, value: unknown, text: Text): string {
  const say = text.facts[name];
  if (!say) return "";
  const words = Array.isArray(value) ? value.map(String) : [String(value)];
  return say(words.map((word) => text.factWords[word] ?? word));
}
