"use client";
import { useCallback, useState } from "react";
import { useCommand } from "@/lib/commands";
import { useText, type Text } from "@/lib/i18n";
import { Dialog } from "@/ui/dialog";
import { Kbd } from "@/ui/kbd";

const ROWS: readonly (readonly [keyof Text["keys"], readonly string[]])[] = [
  ["palette", ["modK"]],
  ["places", ["1", "2", "3"]],
  ["write", ["/"]],
  ["newOne", ["n"]],
  ["nextPrevious", ["j", "k"]],
  ["sources", ["[", "]"]],
  ["openIt", ["Enter"]],
  ["margin", ["e"]],
  ["send", ["Enter", "mod↵"]],
  ["stop", ["Esc"]],
  ["undo", ["modZ"]],
  ["table", ["?"]],
];

/** The keys as a table, for the dialog and for Settings. */
export function KeyRows() {
  const text = useText();
  return (
    <table className="keytable">
      <tbody>
        {ROWS.map(([name, keys]) => (
          <tr key={name}>
            <th scope="row">{text.keys[name]}</th>
            <td>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function KeyTable() {
  const text = useText();
  const [open, setOpen] = useState(false);
  useCommand(
    "keys",
    useCallback(() => setOpen(true), []),
  );
  return (
    <Dialog open={open} onClose={() => setOpen(false)} title={text.keys.title} closeLabel={text.frame.close}>
      <KeyRows />
    </Dialog>
  );
}
