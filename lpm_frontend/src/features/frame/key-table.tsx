"use client";
import { useCallback, useState } from "react";
import { useCommand } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { Dialog } from "@/ui/dialog";
import { Kbd } from "@/ui/kbd";
import { KEY_ROWS } from "./key-rows";

/** The keys as a table, for the dialog and for Settings. */
export function KeyRows() {
  const text = useText();
  return (
    <table className="keytable">
      {KEY_ROWS.map(([where, rows]) => (
        <tbody key={where}>
          <tr>
            <th scope="rowgroup" colSpan={2} className="label">
              {text.keys.where[where]}
            </th>
          </tr>
          {rows.map(([what, keys]) => (
            <tr key={what}>
              <th scope="row">{text.keys.what[what]}</th>
              <td>
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      ))}
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
