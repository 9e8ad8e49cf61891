"use client";
import Link from "next/link";
import { useAtTable, useReadyTables, useTables } from "@/lib/api/discussions";
import { useRoles } from "@/lib/api/roles";
import type { Discussion, ReadyTable } from "@/lib/api/types";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { useTableText } from "@/lib/i18n/table";
import { Bar } from "@/ui/bar";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { useState } from "react";
import { NewTable } from "./new-table";
import { isInvited, nameless, standing, tableHref } from "./views";

/** A new table, those to begin from, and those that there are. */
export function Tables() {
  const text = useText();
  const t = useTableText();
  const ready = useReadyTables(useLanguage());
  const tables = useTables();
  const roles = useRoles();
  const [chosen, setChosen] = useState<ReadyTable | null>(null);
  const items = tables.data?.pages.flatMap((page) => page.items) ?? [];
  const invited = items.filter((each) => isInvited(each));
  const others = items.filter((each) => !isInvited(each));
  const stopped = tables.data?.pages[0]?.stopped ?? 0;
  // what stands above the rest comes first, or the rest would jump
  if (ready.isPending || roles.isPending || tables.isPending)
    return (
      <>
        <Bar title={text.places.table} />
        <div className="main tables">
          <p className="tables-lead mute">{t.list.lead}</p>
          <Loading words={t.list.loading} lines={4} />
        </div>
      </>
    );
  return (
    <>
      <Bar title={text.places.table} />
      <div className="main tables">
        {invited.length > 0 ? (
          <section aria-labelledby="tables-invited">
            <h2 className="label" id="tables-invited">
              {t.list.invited}
            </h2>
            <ul className="table-list">
              {invited.map((each) => (
                <Row key={each.id} table={each} />
              ))}
            </ul>
          </section>
        ) : null}
        <p className="tables-lead mute">{t.list.lead}</p>
        <section aria-labelledby="tables-ready">
          <h2 className="label" id="tables-ready">
            {t.list.ready}
          </h2>
          {ready.isError ? <Trouble error={ready.error} /> : null}
          <ul className="ready-tables">
            {(ready.data?.items ?? []).map((each) => (
              <li key={each.id} className={chosen?.id === each.id ? "ready chosen" : "ready"}>
                <h3>{each.name}</h3>
                <p className="small">{each.purpose}</p>
                <p className="tiny faint">
                  {[t.strategies[each.strategy], ...each.roles.map((role) => role.name)].join(
                    " · ",
                  )}
                </p>
                <Button
                  size="small"
                  aria-label={t.list.begin(each.name)}
                  aria-pressed={chosen?.id === each.id}
                  onClick={() => setChosen(chosen?.id === each.id ? null : each)}
                >
                  {chosen?.id === each.id ? t.list.chosen : t.list.begin(each.name)}
                </Button>
              </li>
            ))}
          </ul>
        </section>
        <section aria-labelledby="tables-own">
          <h2 className="label" id="tables-own">
            {chosen?.name ?? t.list.own}
          </h2>
          <NewTable key={chosen?.id ?? ""} ready={chosen} />
        </section>
        <section aria-labelledby="tables-yours">
          <h2 className="label" id="tables-yours">
            {t.list.yours}
          </h2>
          {stopped > 0 ? (
            <p className="small" role="note">
              {t.list.stopped(stopped)}
            </p>
          ) : null}
          {tables.isError ? (
            <Trouble error={tables.error} onRetry={() => void tables.refetch()} />
          ) : null}
          {tables.isSuccess && others.length === 0 ? (
            <p className="mute small">{t.list.none}</p>
          ) : null}
          <ul className="table-list">
            {others.map((each) => (
              <Row key={each.id} table={each} />
            ))}
          </ul>
          {tables.hasNextPage ? (
            <Button size="small" onClick={() => void tables.fetchNextPage()}>
              {t.list.more}
            </Button>
          ) : null}
        </section>
      </div>
    </>
  );
}

function Row({ table }: { table: Discussion }) {
  const t = useTableText();
  const language = useLanguage();
  return (
    <li>
      <Link href={tableHref(table.id)} className="table-aim">
        {table.aim === "" ? nameless(table, t) : table.aim}
      </Link>
      {table.state === "broken" ? <Broken id={table.id} /> : null}
      <span className="tiny faint num">
        {[standing(table, t), t.turns(table.turns), formatDate(table.changed_at, language)].join(
          " · ",
        )}
      </span>
    </li>
  );
}

/** What is to be done about a table whose record is broken. */
function Broken({ id }: { id: string }) {
  const text = useText();
  const t = useTableText();
  const { remove } = useAtTable(id);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <p className="small">{t.list.broken}</p>
      <p className="row">
        <Button size="small" onClick={() => setAsking(true)}>
          {t.tools.remove}
        </Button>
      </p>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t.tools.remove}
        closeLabel={text.frame.close}
      >
        <p>{t.tools.removeSure}</p>
        <p className="row">
          <Button tone="beni" disabled={remove.isPending} onClick={() => remove.mutate()}>
            {t.tools.removeYes}
          </Button>
          <Button tone="quiet" onClick={() => setAsking(false)}>
            {text.frame.close}
          </Button>
        </p>
        {remove.isError ? <Trouble error={remove.error} /> : null}
      </Dialog>
    </>
  );
}
