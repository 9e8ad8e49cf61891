/** The sentences about the files of the workspace; see `files.ts`. */

const many = (n: number, one: string, more: string): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

export const filesEn = {
  files: {
    loading: "Opening the files",
    list: "Files of the workspace",
    count: (n: number) => `${many(n, "file", "files")}.`,
    folder: (path: string) => `They are in ${path}; any editor can open them.`,
    versions: (n: number) => many(n, "version", "versions"),
    choose: "Choose a file to read it and see its earlier versions.",
    empty: "There are no files yet.",
    emptyHint:
      "A line in memory.md is part of every prompt; everything else you write can be found like any note.",
    first: "The first line",
    one: "One file",
    lost: "File not found.",
    lostHint: "It was renamed, moved or deleted in its folder.",
    troubles: "Not read",
    unread: "Lines that are not memories",
    reading: "Reading the file",
    text: "Text",
    cut: (rest: number) =>
      `${many(rest, "more character is", "more characters are")} not shown here.`,
    open: "Open as a source",
    read: (when: string) => `read ${when}`,
    always: "In every prompt",
    fill: (tokens: number, most: number) =>
      `${tokens.toLocaleString("en")} of ${many(most, "token", "tokens")}`,
    out: (n: number) =>
      `${many(n, "line", "lines")} no longer ${n === 1 ? "fits" : "fit"}. ${n === 1 ? "It is" : "They are"} found like any other note.`,
    none: "Empty so far. A line here is given to the model with every question.",
    change: "Edit",
    changeLabel: "Text of the file",
    changeDo: "Save",
    leave: "Cancel",
    add: "Add a line",
    addDo: "Add",
    added: "Added a line to a file",
    changed: "Edited a file",
  },
  versions: {
    title: "Earlier versions",
    loading: "Loading versions",
    number: (n: number) => `Version ${n.toLocaleString("en")}`,
    now: "current",
    what: "Changes",
    first: "The first version.",
    restore: "Restore this version",
    restored: "Restored a version of a file",
    diff: (n: number) => `Changes in version ${n.toLocaleString("en")}`,
    added: "added",
    skipped: "Unchanged lines",
  },
};
