/** The three sentences of a failure, in the language in use. */
import { NodeProblem } from "./api/client";
import type { Problem } from "./api/types";
import type { Text } from "./i18n";

export interface Sentences {
  readonly title: string;
  readonly detail: string;
  readonly hint: string;
  /** A command to type, which belongs to the hint. */
  readonly command: string;
  /** For whoever helps: numbers and names of things, no memory text. */
  readonly report: string;
}

/**
 * What a document, a job or a turn keeps of a problem has no type; by its title, which one it is.
 */
const KEPT: Readonly<Record<string, string>> = {
  "Could not be read": "unreadable",
  "This kind of file is not read yet": "unsupported-file",
  "Nothing in it": "empty",
  Empty: "empty",
  "Too large": "too-large",
  "Too much to read at once": "prompt-too-long",
  "Something stands in the way": "conflict",
  "Not possible right now": "conflict",
  "Not available right now": "unavailable",
  "The model does not answer": "model-unavailable",
  "The model is not responding": "model-unavailable",
  "Meaning is not available": "embedder-unavailable",
  "Search by meaning is not available": "embedder-unavailable",
  "The home needs repair": "corrupt-home",
  "Something went wrong inside the node": "inside",
  "The training stopped": "training-failed",
  "Not enough memory": "not-enough-memory",
  "Not found": "not-found",
  "This cannot be used as it is": "not-usable",
  "The file cannot be used": "unusable-download",
  "The archive cannot be used": "unusable-archive",
  "This did not work": "did-not-work",
  "Something went wrong": "did-not-work",
};

/** Which problem it is: the last part of its type, which stays the same when titles change. */
const slugOf = ({ type = "", title }: { type?: string; title: string }): string =>
  /^\/problems\/(.+)$/u.exec(type)?.[1] ?? KEPT[title] ?? "";

/** Say what an error means. What the node itself said is kept word for word. */
export function sentencesOf(error: unknown, text: Text): Sentences {
  if (error instanceof NodeProblem) {
    const report = [
      `status ${error.status}`,
      error.type,
      error.title,
      `at ${new Date().toISOString()}`,
    ]
      .filter((line) => line !== "")
      .join("\n");
    switch (error.kind) {
      case "silent":
        return {
          title: text.problem.silentTitle,
          detail: text.problem.silentDetail,
          hint: text.problem.silentHint,
          command: "lpm start",
          report: "",
        };
      case "signed-out":
        return {
          title: text.problem.signedOutTitle,
          detail: text.problem.signedOutDetail,
          hint: text.problem.signedOutHint,
          command: "lpm open",
          report: "",
        };
      case "refused":
        return {
          ...sentencesOfProblem(
            {
              title: error.title || text.problem.unknownTitle,
              detail: error.detail || text.problem.unknownDetail,
              hint: error.hint,
              type: error.type,
            },
            text,
          ),
          report,
        };
    }
  }
  return {
    title: text.problem.brokeTitle,
    detail: text.problem.brokeDetail,
    hint: "",
    command: "",
    report: error instanceof Error ? `${error.name} at ${new Date().toISOString()}` : "",
  };
}

/** A problem that the node put into a document, a job or a turn, or answered with. */
export const sentencesOfProblem = (
  problem: Problem & { type?: string },
  text: Text,
): Sentences => ({
  title: problem.title,
  detail: problem.detail,
  hint: problem.hint ?? "",
  ...text.problems[slugOf(problem)],
  command: "",
  report: [problem.title, `at ${new Date().toISOString()}`].join("\n"),
});
