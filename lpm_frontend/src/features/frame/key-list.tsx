"use client";
import { useKeysText } from "@/lib/i18n/keys";
import { Kbd } from "@/ui/kbd";
import { KEY_ROWS } from "./key-rows";

/** The keys as a table, for the dialog and for Settings. */
export function KeyRows() {
  const t = useKeysText();
  return (
    <table className="keytable">
      {KEY_ROWS.map(([where, rows]) => (
        <tbody key={where}>
          <tr>
            <th scope="rowgroup" colSpan={2} className="label">
              {t.keys.where[where]}
            </th>
          </tr>
          {rows.map(([what, keys]) => (
            <tr key={what}>
              <th scope="row">{t.keys.what[what]}</th>
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
