"use client";
import { useSizes } from "@/lib/api/home";
import { formatBytes, useLanguage } from "@/lib/i18n";
import { useSettingsText } from "@/lib/i18n/settings";
import { Command, Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { Part } from "./part";

/** What the home takes up, by kind of thing: bars, and the same as a table. */
export function Sizes() {
  const words = useSettingsText();
  const language = useLanguage();
  const query = useSizes();
  const known = query.data;
  const items = (known?.items ?? [])
    .filter((each) => each.bytes > 0)
    .toSorted((a, b) => b.bytes - a.bytes);
  const most = Math.max(1, ...items.map((each) => each.bytes));
  return (
    <Part
      title={words.sizes.title}
      lead={
        known
          ? words.sizes.lead(formatBytes(known.bytes, language), formatBytes(known.free, language))
          : ""
      }
    >
      {query.isPending ? <Loading words={words.settings.loading} /> : null}
      {query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : null}
      {known ? (
        <>
          <table className="sizes">
            <caption className="sr">{words.sizes.title}</caption>
            <thead className="sr">
              <tr>
                <th scope="col">{words.sizes.what}</th>
                <th scope="col">{words.sizes.files}</th>
                <th scope="col">{words.sizes.size}</th>
              </tr>
            </thead>
            <tbody>
              {items.map((each) => (
                <tr key={each.id}>
                  <th scope="row">
                    {words.sizes.kinds[each.id]}
                    <span className="size-bar" aria-hidden="true">
                      <i style={{ width: `${Math.max(0.4, (each.bytes / most) * 100)}%` }} />
                    </span>
                  </th>
                  <td className="num faint">{words.sizes.count(each.files)}</td>
                  <td className="num">{formatBytes(each.bytes, language)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className="tiny faint">
            {words.sizes.where} <Command>{known.home}</Command>
          </p>
        </>
      ) : null}
    </Part>
  );
}
