/** The versions of a document. */
const count = (n: number): string => n.toLocaleString("en");

export const versionsEn = {
  title: "Versions",
  loading: "Loading versions",
  which: (n: number, of: number) => `Version ${count(n)} of ${count(of)}`,
  number: (n: number) => `Version ${count(n)}`,
  now: "current",
  what: "Changes",
  first: "The first version.",
  open: "Read",
  useAgain: "Use this version again",
  used: (n: number) => `Version ${count(n)} is in use again`,
  apart: "This is another document",
  apartMeans:
    "It becomes a document of its own, with what came after it. The version before it is in use again.",
  apartDone: "Two documents now",
  older: "This is an older version.",
  see: "See what changed",
  present: "Open the current version",
  since: "Changed since this version",
  askTitle: (name: string) => `You have “${name}” already.`,
  askMeans: "Is this a new version of it, or another document?",
  askNew: "New version",
  askOther: "Another document",
  askOpen: "Look at it",
  joined: "Kept as a new version",
  diff: (n: number) => `Changes in version ${count(n)}`,
  added: "added",
  removed: "removed",
  skipped: "Lines that are not shown",
  same: "No changes.",
};
