/** Which of what is going on is shown beside an entry. */
import type { Occasions } from "@/lib/api/types";

/** More at once would be read before anything is written. */
const SHOWN = 3;
const EVENTS = 2;

/** What comes today or tomorrow first; who was named lately fills what is left. */
export function promptsOf({
  events,
  named,
}: Pick<Occasions, "events" | "named">): Pick<Occasions, "events" | "named"> {
  const first = events.slice(0, EVENTS);
  return { events: first, named: named.slice(0, SHOWN - first.length) };
}
