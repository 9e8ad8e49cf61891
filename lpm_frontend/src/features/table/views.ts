import type { Discussion } from "@/lib/api/types";
import type { TableText } from "@/lib/i18n/table";

/** Where a table is. */
export const tableHref = (id: string): string => `/table?id=${encodeURIComponent(id)}`;

/** What a table is called of whose question there are no words. */
export const nameless = (table: Discussion, t: TableText): string =>
  table.state === "broken" ? t.states.broken : t.list.struck;

/** Whether a contact runs a table, and the person is asked to it. */
export const isGuest = (table: Discussion): boolean => (table.host ?? "") !== "";
