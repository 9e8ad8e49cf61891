/** Figures of a training in words. What a trainer notes of itself comes as loose values. */
import type { Training } from "@/lib/api/types";
import type { TrainingText } from "@/lib/i18n/training";

/** How long learning took, with the preferences where it learned any; in seconds. */
export const tookIn = (outcome: Training["outcome"]): number => {
  const preferences: unknown = outcome?.["preferences"];
  const beside =
    typeof preferences === "object" && preferences !== null
      ? numberIn(preferences as Training["outcome"], "seconds")
      : 0;
  return numberIn(outcome, "seconds") + beside;
};

/** A number out of an estimate or an outcome; 0 where there is none. */
export const numberIn = (values: Training["estimate"], name: string): number => {
  const value = values?.[name];
  return typeof value === "number" ? value : 0;
};

/** Seconds as a person counts them. */
export function duration(seconds: number, t: TrainingText): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return t.ready.underMinute;
  return minutes < 60
    ? t.ready.minutes(minutes)
    : t.ready.hours(Math.floor(minutes / 60), minutes % 60);
}
