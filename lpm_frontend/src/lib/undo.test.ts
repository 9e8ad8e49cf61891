import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { offerUndo, offerUndoWhen, settleOnLeaving, undoLast } from "./undo";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  settleOnLeaving();
  vi.useRealTimers();
});

it("takes the last change back, and then never settles it", () => {
  const log: string[] = [];
  offerUndo({
    sentence: "Deleted",
    undo: () => void log.push("back"),
    settle: () => log.push("settled"),
  });
  undoLast();
  vi.advanceTimersByTime(120_000);
  expect(log).toEqual(["back"]);
});

it("settles a change when the next one takes its place, when its time is over, and when the page goes away", () => {
  const log: string[] = [];
  const change = (name: string) => ({
    sentence: name,
    undo: () => undefined,
    settle: (leaving: boolean) => log.push(`${name}${leaving ? " leaving" : ""}`),
  });
  offerUndo(change("one"));
  offerUndo(change("two"));
  vi.advanceTimersByTime(60_000);
  offerUndo(change("three"));
  settleOnLeaving();
  expect(log).toEqual(["one", "two", "three leaving"]);
});

it("offers the way back once it is done, none where there is none, and none for what was refused", async () => {
  const log: string[] = [];
  const way = (name: string) => ({ sentence: name, undo: () => void log.push(name) });
  offerUndoWhen(Promise.resolve("kept"), way);
  offerUndoWhen(Promise.resolve("nothing"), () => null);
  offerUndoWhen(Promise.reject(new Error("refused")), () => way("refused"));
  undoLast();
  expect(log).toEqual([]);
  await vi.advanceTimersByTimeAsync(0);
  undoLast();
  expect(log).toEqual(["kept"]);
});
