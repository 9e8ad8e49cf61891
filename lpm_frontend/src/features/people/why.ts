/**
 * Why something was refused, by the closed list of the protocol; what only says that a message was
 * broken is one sentence.
 */
import type { PeopleText } from "@/lib/i18n/people";

export const whyOf = (code: string, t: PeopleText): string =>
  (t.inbox.codes as Readonly<Record<string, string>>)[code] ?? t.inbox.codes.other;
