/**
 * Every key that a screen knows, by the place where it works. A test holds this against the
 * sources.
 */
import type { keysEn } from "@/lib/i18n/en-keys";

export type KeyPlace = keyof (typeof keysEn)["keys"]["where"];
type Row = readonly [keyof (typeof keysEn)["keys"]["what"], readonly string[]];

/** `mod` is ⌘ or Ctrl; a key is called as the browser calls it. */
export const KEY_ROWS: readonly (readonly [KeyPlace, readonly Row[]])[] = [
  [
    "everywhere",
    [
      ["palette", ["modK"]],
      ["places", ["1", "2", "3", "4", "5", "6", "7", "8"]],
      ["write", ["/"]],
      ["capture", ["w"]],
      ["newOne", ["n"]],
      ["nextPrevious", ["j", "k"]],
      ["openIt", ["Enter"]],
      ["stop", ["Escape"]],
      ["undo", ["modZ"]],
      ["table", ["?"]],
    ],
  ],
  [
    "chat",
    [
      ["newPrivate", ["Shift N"]],
      ["send", ["Enter", "modEnter"]],
      ["newLine", ["Shift Enter"]],
      ["margin", ["e"]],
      ["sources", ["[", "]"]],
      ["copyAnswer", ["c"]],
      ["again", ["r"]],
      ["print", ["p"]],
    ],
  ],
  [
    "library",
    [
      ["choose", ["x"]],
      ["chooseOn", ["Shift J", "Shift K"]],
      ["rows", ["ArrowUp", "ArrowDown"]],
      ["cards", ["ArrowLeft", "ArrowRight"]],
    ],
  ],
  ["memory", [["views", ["ArrowLeft", "ArrowRight"]]]],
  [
    "timeline",
    [
      ["days", ["ArrowUp", "ArrowDown"]],
      ["weeks", ["ArrowLeft", "ArrowRight"]],
      ["yearEnds", ["Home", "End"]],
    ],
  ],
  [
    "map",
    [
      ["edges", ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]],
      ["openIt", ["Enter"]],
      ["zoom", ["+", "-", "0"]],
    ],
  ],
  [
    "source",
    [
      ["findNext", ["Enter"]],
      ["findPrevious", ["Shift Enter"]],
      ["findNothing", ["Escape"]],
    ],
  ],
  [
    "findings",
    [
      ["keep", ["a"]],
      ["mend", ["c"]],
      ["forget", ["f"]],
    ],
  ],
  [
    "review",
    [
      ["keep", ["a"]],
      ["dismiss", ["d"]],
      ["keepAll", ["Shift A"]],
      ["dismissAll", ["Shift D"]],
      ["undoOne", ["u"]],
      ["choose", ["x"]],
      ["chooseOn", ["Shift J", "Shift K"]],
      ["rows", ["ArrowUp", "ArrowDown"]],
    ],
  ],
  [
    "palette",
    [
      ["entries", ["ArrowUp", "ArrowDown"]],
      ["run", ["Enter"]],
      ["close", ["Escape"]],
    ],
  ],
  [
    "writing",
    [
      ["keepWords", ["Enter", "modEnter"]],
      ["leave", ["Escape"]],
    ],
  ],
];
