import type { Discussion } from "@/lib/api/types";
import type { TableText } from "@/lib/i18n/table";

/** Where a table is. */
export const tableHref = (id: string): string => `/table?id=${encodeURIComponent(id)}`;

/** What a table is called of whose question there are no words. */
export const nameless = (table: Discussion, t: TableText): string =>
  table.state === "broken" ? t.states.broken : t.list.struck;

/** How a table stands, or how the person does at a contact's. */
export const standing = (table: Discussion, t: TableText): string => {
  const { invitation, state } = table;
  if (state === "closed") return t.states.closed;
  if (invitation === "invited") return t.guest.asked(table.host_name ?? "");
  const isOver = invitation === "withdrawn" || invitation === "expired";
  return isOver ? t.guest.gone[invitation] : t.states[state];
};

/** Why somebody could not speak; what only says that an answer was broken is one sentence. */
export const whyOf = (code: string, t: TableText): string =>
  (t.play.why as Readonly<Record<string, string>>)[code] ?? t.play.why.other;

/** Whether a contact is at a table, or runs it. */
export const isShared = (table: Discussion): boolean =>
  isGuest(table) || table.members.some(({ contact }) => (contact ?? "") !== "");

/** Whether a contact runs a table, and the person is asked to it. */
export const isGuest = (table: Discussion): boolean => (table.host ?? "") !== "";

/** Whether an invitation of a contact waits for the person's answer. */
export const isInvited = (table: Discussion): boolean =>
  table.invitation === "invited" && table.state !== "closed";
