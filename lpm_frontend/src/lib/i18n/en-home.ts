/**
 * The sentences about the home as a whole, and about what is fetched and what reads for meaning.
 * Part of `en.ts`.
 */

const many = (n: number, one: string, more: string): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

export const enHome = {
  erase: {
    open: "Erase, from backups too…",
    title: (title: string) => `Erase “${title}” for good?`,
    counting: "Counting what would be erased",
    goes: "This will be erased, here and from every backup:",
    stays: "This is out of reach:",
    word: "erase",
    type: (word: string) => `Type “${word}” to continue`,
    does: "Erase it",
    keep: "Keep it",
    final: "Nobody can bring this back, not even from a backup.",
    go: {
      originals: (n: number) =>
        `${many(n, "original", "originals")}, with title, name, tags and date`,
      texts: (n: number) => `${many(n, "text", "texts")} made from it`,
      index: (n: number) => `${many(n, "passage", "passages")}, with words and vectors`,
      conversations: (n: number) => many(n, "conversation", "conversations"),
      turns: (n: number) => `quotations of it in ${many(n, "turn", "turns")} of your conversations`,
      backups: (n: number) => `its part of ${many(n, "backup", "backups")}`,
      exports: (n: number) => `${many(n, "archive", "archives")} ready for download`,
      trainings: (n: number) =>
        `${many(n, "training", "trainings")} that learned from it, out of service at once`,
    },
    stay: {
      handed_out:
        "Archives that you have downloaded or passed on, and copies of the home that you made yourself.",
      elsewhere: "What was sent to a model on another machine. Activity says when, and where to.",
      git: "A folder of yours in git, or in another program's backup, keeps its history.",
      disk: "A solid-state disk may keep freed blocks for a while; an encrypted disk helps against that.",
    },
  },
};
