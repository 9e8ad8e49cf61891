/** The sentences about the files of the workspace; see `files.ts`. */

const many = (n: number, one: string, more: string): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

export const filesEn = {
  files: {
    loading: "Opening the files",
    list: "Files of the workspace",
    count: (n: number) => `${many(n, "file", "files")}.`,
    folder: (path: string) => `They lie in ${path}, and any editor opens them.`,
    versions: (n: number) => many(n, "wording", "wordings"),
    choose: "Choose a file to read it, and to see what it said before.",
    empty: "There is no file yet.",
    emptyHint:
      "A line for memory.md stands in every prompt; everything else that you write is found like a note.",
    first: "The first line",
    one: "One file",
    lost: "This file is not here.",
    lostHint: "It was renamed, moved or deleted in its folder.",
    troubles: "Left alone",
    unread: "Lines that are no statements",
    reading: "Reading the file",
    text: "How it reads",
    cut: (rest: number) =>
      `${many(rest, "more character is", "more characters are")} not shown here.`,
    open: "Open it as a source",
    read: (when: string) => `read ${when}`,
    always: "In every prompt",
    fill: (tokens: number, most: number) =>
      `${tokens.toLocaleString("en")} of ${many(most, "token", "tokens")}`,
    out: (n: number) =>
      `${many(n, "line does", "lines do")} not fit any more. ${n === 1 ? "It is" : "They are"} found like any other note.`,
    none: "Nothing of it yet: a line here is before the model whatever is asked.",
    change: "Change it",
    changeLabel: "How the file reads",
    changeDo: "Write it",
    leave: "Leave it",
    add: "Add a line",
    addDo: "Add it",
    added: "Added a line to a file",
    changed: "Changed a file",
  },
  versions: {
    title: "What it said before",
    loading: "Looking through its wordings",
    number: (n: number) => `Wording ${n.toLocaleString("en")}`,
    now: "as it reads now",
    what: "What it changed",
    first: "The first wording: nothing was before it.",
    restore: "Have it read so again",
    restored: "Had a file read as before",
    diff: (n: number) => `What wording ${n.toLocaleString("en")} changed`,
    added: "added",
    removed: "removed",
    skipped: "Lines that are the same",
    same: "It says the same.",
  },
};
