"use client";
import { ShieldCheck } from "lucide-react";
import type { Citation, DiscussionDetail, TableEntry } from "@/lib/api/types";
import { formatDate, useLanguage } from "@/lib/i18n";
import { useTableText } from "@/lib/i18n/table";
import { Icon } from "@/ui/icon";
import { Evidence } from "./entry";
import { MemberSeal, nameOf } from "./members";

/** The newest turn of each who spoke, in the order of the table. */
function lastOf(table: DiscussionDetail): Map<string, TableEntry> {
  return new Map(
    table.items.filter((entry) => entry.step === "turn").map((entry) => [entry.by, entry]),
  );
}

/** What the second self cited, each place once. */
function cited(table: DiscussionDetail): readonly Citation[] {
  const twin = table.members.find((member) => member.kind === "twin" && member.mine !== false);
  const all = table.items
    .filter((entry) => entry.by === twin?.id && !entry.gone)
    .flatMap((entry) => entry.evidence ?? []);
  return [...new Map(all.map((each) => [`${each.document} ${each.start}`, each])).values()];
}

/** Where everybody stands, what was brought, and whether the record is whole. */
export function Beside({ table }: { table: DiscussionDetail }) {
  const t = useTableText();
  const language = useLanguage();
  const last = lastOf(table);
  const brought = cited(table);
  return (
    <div className="table-beside">
      <section aria-labelledby="table-leaning">
        <h2 className="label" id="table-leaning">
          {t.beside.leaning}
        </h2>
        {last.size === 0 ? <p className="small mute">{t.beside.nothing}</p> : null}
        <ul className="leaning">
          {table.members.map((member) => {
            const turn = last.get(member.id);
            if (!turn) return null;
            const on = table.items.find(({ n }) => n === turn.on);
            const other = on && table.members.find(({ id }) => id === on.by);
            return (
              <li key={member.id}>
                <MemberSeal member={member} size="xs" />
                <span>{nameOf(member, t)}</span>
                <a className="tiny mute" href={`#entry-${turn.n.toString()}`}>
                  {turn.abstained
                    ? t.end.abstained
                    : turn.stance && other
                      ? t.play[turn.stance](nameOf(other, t))
                      : t.end.said}
                </a>
              </li>
            );
          })}
        </ul>
      </section>
      {table.members.some((member) => member.kind === "twin") ? (
        <section aria-labelledby="table-brought">
          <h2 className="label" id="table-brought">
            {t.beside.brought}
          </h2>
          {brought.length === 0 ? (
            <p className="small mute">{t.beside.broughtNone}</p>
          ) : (
            <Evidence items={brought} />
          )}
          <p className="tiny faint">{t.beside.stays}</p>
        </section>
      ) : null}
      <div className="intact">
        <Icon of={ShieldCheck} />
        <div>
          <p>{t.beside.intact(table.entries)}</p>
          <p className="tiny faint">
            {t.beside.head}: <code title={table.head}>{table.head.slice(0, 12)}…</code>
          </p>
          {table.state === "closed" ? null : (
            <p className="tiny faint">{t.beside.until(formatDate(table.until, language))}</p>
          )}
        </div>
      </div>
    </div>
  );
}
