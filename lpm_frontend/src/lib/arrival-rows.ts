import type { Reading } from "./api/arrivals";

type State = "waiting" | "sending" | "reading" | "read" | "known" | "refused" | "unread";

function stateOf({ arrival, document }: Reading): State {
  if (arrival.state !== "taken") return arrival.state;
  if (document?.state === "failed") return "unread";
  if (document?.state === "ready") return arrival.known ? "known" : "read";
  return "reading";
}

/** One row per arrival, for showing. */
export const rowOf = (reading: Reading) => ({
  key: reading.arrival.key,
  name: reading.document?.title ?? reading.arrival.name,
  kind: reading.document?.kind,
  state: stateOf(reading),
  progress: reading.job?.progress ?? 0,
  step: reading.job?.step ?? "",
  error: reading.arrival.error,
  problem: reading.document?.error ?? null,
});
