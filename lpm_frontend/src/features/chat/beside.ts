/** Questions whose answers stand side by side, by the turn of the question. */
import { useSyncExternalStore } from "react";
import { useVariant } from "@/lib/api/conversations";
import { fromTurn, type Answer, type Exchange } from "./exchanges";

let beside: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

export function setBeside(asked: string, on: boolean): void {
  const without = [...beside].filter((one) => one !== asked);
  beside = new Set(on ? [...without, asked] : without);
  for (const listener of listeners) listener();
}

const listen = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useBeside = (asked: string): boolean =>
  useSyncExternalStore(
    listen,
    () => beside.has(asked),
    () => false,
  );

/** Which answer stands beside this one: the one before it, else the one after it. */
export function neighbourOf(answer: Pick<Answer, "id" | "variants">): string {
  const at = answer.variants.indexOf(answer.id);
  return at < 0 ? "" : (answer.variants[at === 0 ? 1 : at - 1] ?? "");
}

/** Two answers in the order in which they stand: the base model's first, else the older one. */
export function inOrder(answer: Answer, other: Answer): readonly [Answer, Answer] {
  const first =
    answer.voice === other.voice
      ? answer.id !== "" && answer.variants.indexOf(answer.id) < answer.variants.indexOf(other.id)
      : answer.voice === "base";
  return first ? [answer, other] : [other, answer];
}

/** The answer beside the one that is shown, where the person wants to see both. */
export function useOther(conversation: string, exchange: Exchange): Answer | null {
  const on = useBeside(exchange.asked);
  const { answer, before } = exchange;
  const wanted = on && before === undefined && answer ? neighbourOf(answer) : "";
  const other = useVariant(conversation, wanted).data;
  if (!on) return null;
  return before ?? (other ? fromTurn(other) : null);
}
