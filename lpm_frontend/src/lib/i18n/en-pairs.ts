/** The sentences about pairs of answers, in English. */
const many = (n: number, one: string, more: string): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

export const pairsEn = {
  title: (n: number) => `Which answers are better: ${many(n, "pair", "pairs")}`,
  notLearned:
    "This training does not learn them. To learn them, prepare again with “Learn preferences” (All settings).",
  search: "Search the pairs",
  kinds: "Why one is preferred",
  every: "All",
  loading: "Loading pairs",
  none: "No pair matches.",
  chosen: "Preferred",
  rejected: "Not preferred",
  asker: (who: string) => `Asked by ${who}`,
  notes: (n: number) => `Asked with ${many(n, "note", "notes")}`,
  strikeWhat: (question: string) => `Remove the pair: ${question}`,
  backWhat: (question: string) => `Restore the pair: ${question}`,
  struck: "Removed a pair",
  broughtBack: "Restored a pair",
  memory: "Memory",
  document: "Document",
  conversation: "Conversation",
  isPrivate: "private",
  more: "More pairs",
  list: "Pairs",
  shown: (n: number) => many(n, "pair", "pairs"),
  lengths: (chosen: number, rejected: number) =>
    `On average ${chosen} and ${rejected} characters long.`,
  add: "Add your own pair",
  addChosen: "The answer you prefer",
  addRejected: "An answer you would not give",
  rule: {
    thumbs: "Judged by you",
    edited: "Said better by you",
    choice: "Chosen by you",
    struck: "Its source was corrected",
    correction: "Corrected by you",
    evidence: "Rests on the notes",
    invented: "Not invented",
    voice: "In your words",
    stranger: "Only what they may know",
  } as Record<string, string>,
};

export type PairsText = typeof pairsEn;
