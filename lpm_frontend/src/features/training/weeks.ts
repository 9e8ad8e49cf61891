/** What came of the last week that was learned by itself. */
import type { Growth, Training } from "@/lib/api/types";

export type LastWeek =
  | { readonly as: "skipped"; readonly why: NonNullable<Growth["last_skipped"]> }
  | { readonly as: "learned" | "waits"; readonly run: Training }
  | { readonly as: "failed" | "cancelled" | "deleted" };

/** `null` where there was none yet, or it is at work. */
export function lastWeek(
  { last, last_run, last_skipped }: Growth,
  runs: readonly Training[],
): LastWeek | null {
  switch (last?.state) {
    case undefined:
    case "queued":
    case "running":
      return null;
    case "failed":
    case "cancelled":
      return { as: last.state };
    case "succeeded": {
      if (last_skipped !== null) return { as: "skipped", why: last_skipped };
      const run = runs.find(({ id }) => id === last_run);
      return run ? { as: run.in_use ? "learned" : "waits", run } : { as: "deleted" };
    }
  }
}
