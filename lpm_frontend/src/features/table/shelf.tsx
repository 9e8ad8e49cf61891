"use client";
import Link from "next/link";
import { useTables } from "@/lib/api/discussions";
import { useTableText } from "@/lib/i18n/table";
import { nameless, tableHref } from "./views";

/** Tables in the spine while Table is open. */
export function TablesShelf({ current }: { current: string }) {
  const t = useTableText();
  const items = useTables().data?.pages[0]?.items ?? [];
  if (items.length === 0) return null;
  return (
    <>
      <p className="label people-shelf-label">{t.list.shelf}</p>
      <ul className="shelf-list">
        {items.map((table) => (
          <li key={table.id}>
            <Link
              className="clip"
              href={tableHref(table.id)}
              aria-current={table.id === current ? "true" : undefined}
            >
              {table.aim === "" ? nameless(table, t) : table.aim}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
