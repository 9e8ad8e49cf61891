"use client";
import { useStatus } from "@/lib/api/status";
import type { Status } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import type { Place } from "./places";

const at = (status: Status | undefined, place: Place): number =>
  status && (place.id === "people" || place.id === "table") ? status.waiting[place.id] : 0;

/** Whether something waits for the person at one of these places. */
export function useAnyWaits(places: readonly Place[]): boolean {
  const status = useStatus().data;
  return places.some((place) => at(status, place) > 0);
}

/** How much waits for the person at a place: a number, and what it counts in words. */
export function Waits({ place }: { place: Place }) {
  const text = useText();
  const count = at(useStatus().data, place);
  if (count === 0) return null;
  const words = place.id === "table" ? text.frame.invitations(count) : text.frame.questions(count);
  return (
    <b className="waits" title={words}>
      <span aria-hidden="true">{count}</span>
      <span className="sr">{words}</span>
    </b>
  );
}
