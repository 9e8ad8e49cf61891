const many = (n: number, one: string, more: string): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

/** Learning from what the person wrote, besides what they kept. */
export const ownDocumentsEn = {
  label: "Also learn from what I wrote",
  means:
    "Sentences in your own notes, letters and messages in which you speak of yourself or of others. Each row shows where it comes from, and you can remove any before learning.",
  loading: "Reading your documents",
  nothing: "Nothing was found in your documents that you did not already decide about.",
  found: (statements: number, documents: number) =>
    `${many(statements, "sentence", "sentences")} in ${many(documents, "document", "documents")}.`,
  most: (most: number) => `One training learns at most ${most.toLocaleString("en")} of them.`,
  choose: "Choose documents",
  sentences: (n: number) => many(n, "sentence", "sentences"),
  private: "private",
};
