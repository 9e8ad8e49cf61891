/** The sentences of first use, the frame and the settings that came later. Part of `en.ts`. */

const many = (n: number, one: string, more: string): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

export const enFrame = {
  reading: { text: "Text" },
  tray: {
    left: (seconds: number) =>
      seconds < 90
        ? `about ${many(seconds, "second", "seconds")} left`
        : `about ${many(Math.round(seconds / 60), "minute", "minutes")} left`,
    lately: (n: number) => `${many(n, "job", "jobs")} done today`,
  },
  outcomes: {
    import: (documents: number, conversations: number, known: number, erased: number) =>
      `${many(documents, "document", "documents")} and ${many(conversations, "conversation", "conversations")} imported.${known > 0 ? ` ${many(known, "document was", "documents were")} already here.` : ""}${erased > 0 ? ` ${many(erased, "was", "were")} left out because they were erased here.` : ""}`,
    people: (contacts: number, tables: number) =>
      `${many(contacts, "contact", "contacts")} and ${many(tables, "table", "tables")} imported.`,
    strangers: (n: number) =>
      `${many(n, "contact knows", "contacts know")} another identity than this node’s: invite them anew.`,
    grantsOver: (n: number) =>
      `${many(n, "grant that you gave is", "grants that you gave are")} over here: give them anew if you want to.`,
    tablesOpen: (n: number) =>
      `${many(n, "table was", "tables were")} left out, not being closed yet.`,
    peopleErased: (n: number) =>
      `${many(n, "contact or table was", "contacts and tables were")} left out because they were deleted here.`,
    backup: (documents: number) => many(documents, "document", "documents"),
    export: (documents: number, conversations: number) =>
      `${many(documents, "document", "documents")} and ${many(conversations, "conversation", "conversations")}`,
    of: (done: string, all: string, unit: string) => `${done} of ${all}${unit}`,
  },
  /** What a check of the home found, by its code. In English it stands as the node says it. */
  found: {} as Record<string, (values: readonly (string | number)[]) => string>,
  /** The facts of what happened, by their names; those without one here say nothing to a person. */
  facts: {
    documents: ([n]) => many(Number(n), "document", "documents"),
    conversations: ([n]) => many(Number(n), "conversation", "conversations"),
    backup: ([id]) => `backup ${id ?? ""}`,
    label: ([label]) => label ?? "",
    private: () => "including what is private",
    continues: () => "the chain continues",
    erased: ([n]) => `${many(Number(n), "item", "items")} erased since then, removed again`,
    scopes: (scopes) => `it may ${scopes.join(", ")}`,
    settings: (names) => names.join(", "),
    host: ([host]) => host ?? "",
    bytes: ([n]) => `${Number(n).toLocaleString("en")} B`,
    why: ([why]) => why ?? "",
    to: ([to]) => to ?? "",
  } as Record<string, (values: readonly string[]) => string>,
  factWords: {
    asked: "by hand",
    scheduled: "automatic",
    "before-restore": "before a restore",
    bundled: "the bundled one",
    endpoint: "an endpoint",
    file: "a file",
    none: "none",
    hashing: "the stand-in for tests",
    scripted: "the scripted stand-in",
    single_keys: "single-key shortcuts",
    theme: "theme",
    chat: "ask",
    recall: "search",
    write: "add",
    admin: "change everything",
  } as Record<string, string>,
  findings: {
    title: (n: number) => `I found ${many(n, "thing", "things")}.`,
    lead: "Keep what is right. What you correct here is never guessed again.",
    allDecided: "You have gone through everything that was found.",
    askFirst: "You could ask",
    keep: "Keep",
    mend: "Correct",
    forget: "Forget",
    mendLabel: "Correct wording",
    mendDo: "Save correction",
    mendNot: "Cancel",
    did: { keep: "Kept.", mend: "Corrected.", forget: "Forgotten.", dismiss: "Dismissed." },
  },
  sample: {
    detail:
      "Nagi Sorrel restores violins in Kanazawa. Her diary, letters and mails open in a home of their own, beside yours; nothing of hers is mixed with yours.",
    asking: "Looking for her home",
    absent: "This copy does not include her. In a clone of the repository, run",
    begin: "Open her home",
    starting: "Opening her home and reading her letters",
    running: (address: string) => `Her node is running at ${address}.`,
    open: "Open it",
    end: "Close her home",
    home: "Her folder is",
  },
};
