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

/** Say what an error means. What the node itself said is kept word for word. */
export function sentencesOf(error: unknown, text: Text): Sentences {
  if (error instanceof NodeProblem) {
    const report = [`status ${error.status}`, error.type, error.title, `at ${new Date().toISOString()}`].filter((line) => line !== "").join("\n");
    switch (error.kind) {
      case "silent":
        return { title: text.problem.silentTitle, detail: text.problem.silentDetail, hint: text.problem.silentHint, command: "lpm start", report: "" };
      case "signed-out":
        return { title: text.problem.signedOutTitle, detail: text.problem.signedOutDetail, hint: text.problem.signedOutHint, command: "lpm open", report: "" };
      case "refused":
        return { ...sentencesOfProblem({ title: error.title || text.problem.unknownTitle, detail: error.detail || text.problem.unknownDetail, hint: error.hint }, text), report };
    }
  }
  return { title: text.problem.brokeTitle, detail: text.problem.brokeDetail, hint: "", command: "", report: error instanceof Error ? `${error.name} at ${new Date().toISOString()}` : "" };
}

/** A problem that the node put into a document, a job or a turn. */
export const sentencesOfProblem = (problem: Problem, text: Text): Sentences => ({
  title: problem.title,
  detail: problem.detail,
  hint: problem.hint ?? "",
  ...text.problems[problem.title],
  command: "",
  report: [problem.title, `at ${new Date().toISOString()}`].join("\n"),
});
