import { expect, it } from "vitest";
import { problemFrom } from "./api/client";
import { en } from "./i18n/en";
import { ja } from "./i18n/ja";
import { sentencesOf, sentencesOfProblem } from "./problem";

it("knows a problem by its type, whatever its title", () => {
  const problem = problemFrom(503, {
    type: "/problems/model-unavailable",
    title: "Another title",
    detail: "It does not answer.",
    hint: "Try again.",
  });
  expect(sentencesOf(problem, ja).title).toBe("モデルが応答していません");
  expect(sentencesOf(problem, en).title).toBe("Another title");
});

it("knows what a document keeps by its title, and says word for word what it does not know", () => {
  expect(sentencesOfProblem({ title: "Could not be read", detail: "", hint: "" }, ja).title).toBe(
    "読めませんでした",
  );
  const unknown = problemFrom(400, {
    type: "/problems/of-a-later-release",
    title: "Something new",
    detail: "Word for word.",
  });
  expect(sentencesOf(unknown, ja)).toMatchObject({
    title: "Something new",
    detail: "Word for word.",
  });
});
