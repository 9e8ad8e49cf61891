/** A sitting against a small node that keeps what was decided. */
import { describe, expect, it } from "vitest";
import * as model from "./model";
import { begun, finding, NodeTwin } from "./node-twin";
import type { Session } from "./session";

const TEN = Array.from({ length: 10 }, (_, n) => finding(n));
const press = (session: Session, verdict: model.Verdict) =>
  session.decide(verdict, model.meant(session.get().review));
const standings = (session: Session): string[] => {
  const { review } = session.get();
  return review.rows.map(({ id }) => model.standingOf(review, id).as);
};

describe("a sitting", () => {
  it("decides about one after the other and says how far it is", async () => {
    const node = new NodeTwin(TEN);
    const session = await begun(node);
    press(session, "keep");
    press(session, "dismiss");
    expect(standings(session)).toEqual(["saving", "saving", "open", "open"]);
    await session.settled();
    const { review } = session.get();
    expect(standings(session)).toEqual(["saved", "saved", "open", "open"]);
    expect([model.done(review), review.all, review.at]).toEqual([2, 10, 2]);
    expect([...node.decided.values()].map(({ verdict }) => verdict)).toEqual(["keep", "dismiss"]);
  });

  it("decides about a range at once and takes all of it back at once", async () => {
    const node = new NodeTwin(TEN);
    const session = await begun(node);
    session.change((review) => model.go(review, 2, true));
    expect(session.get().review.chosen.size).toBe(3);
    const act = press(session, "keep");
    session.undo(act?.id ?? 0); // before it was saved
    await session.settled();
    expect(node.heard).toEqual([3]);
    expect(node.decided.size).toBe(0);
    expect(standings(session)).toEqual(["open", "open", "open", "open"]);
    expect(session.get().review.acts).toEqual([]);
  });

  it("goes on behind what was left open, and begins again with it", async () => {
    const session = await begun(new NodeTwin(TEN));
    session.change((review) => model.go(review, 1));
    press(session, "keep");
    session.next();
    await session.settled();
    const ids = (): string[] => session.get().review.rows.map(({ id }) => id);
    expect(ids()).toEqual(TEN.slice(4, 8).map(({ id }) => id));
    session.next();
    await session.settled();
    expect(ids()).toEqual(TEN.slice(8).map(({ id }) => id));
    session.load();
    await session.settled();
    expect(ids()).toEqual([TEN[0], TEN[2], TEN[3], TEN[4]].map((each) => each?.id));
    expect([model.done(session.get().review), session.get().review.all]).toEqual([1, 10]);
  });

  it("brings what was taken back onto the page, from an earlier one too", async () => {
    const node = new NodeTwin(TEN);
    const session = await begun(node);
    const act = session.decide("dismiss", model.openOnPage(session.get().review));
    session.next();
    await session.settled();
    expect(session.get().review.rows[0]?.id).toBe(TEN[4]?.id);
    session.undo(act?.id ?? 0);
    await session.settled();
    expect(session.get().review.rows).toHaveLength(8);
    expect(model.openOnPage(session.get().review)).toHaveLength(8);
    expect([model.done(session.get().review), node.decided.size]).toEqual([0, 0]);
  });

  it("takes one after the other back, the last one first", async () => {
    const node = new NodeTwin(TEN);
    const session = await begun(node);
    for (const verdict of ["keep", "dismiss", "keep"] as const) press(session, verdict);
    session.undoLast();
    session.undoLast();
    await session.settled();
    expect(standings(session)).toEqual(["saved", "open", "open", "open"]);
    expect(session.get().review.at).toBe(1);
    session.undoLast();
    session.undoLast();
    await session.settled();
    expect(node.decided.size).toBe(0);
  });

  it("loses nothing where it cannot be saved, and saves it when asked again", async () => {
    const node = new NodeTwin(TEN);
    const session = await begun(node);
    node.broken = true;
    press(session, "keep");
    press(session, "dismiss");
    await session.settled();
    expect(standings(session)).toEqual(["failed", "failed", "open", "open"]);
    expect(session.get().error).toBeInstanceOf(Error);
    expect(model.done(session.get().review)).toBe(0);
    node.broken = false;
    session.retry();
    await session.settled();
    expect(standings(session)).toEqual(["saved", "saved", "open", "open"]);
    expect(session.get().error).toBeNull();
    expect([...node.decided.values()].map(({ verdict }) => verdict)).toEqual(["keep", "dismiss"]);
  });

  it("takes back what was saved although its answer was lost", async () => {
    const node = new NodeTwin(TEN);
    const session = await begun(node);
    node.deaf = true;
    const act = press(session, "keep");
    await session.settled();
    node.deaf = false;
    session.retry();
    await session.settled();
    expect(standings(session)[0]).toBe("saved");
    session.undo(act?.id ?? 0);
    await session.settled();
    expect(node.decided.size).toBe(0);
  });

  it("does not overrule what was decided elsewhere, and takes only its own back", async () => {
    const node = new NodeTwin(TEN);
    const session = await begun(node);
    node.decided.set(TEN[1]?.id ?? "", { verdict: "forget", at: "elsewhere" });
    const act = session.decide("keep", model.openOnPage(session.get().review));
    await session.settled();
    expect(standings(session)).toEqual(["saved", "elsewhere", "saved", "saved"]);
    node.decided.set(TEN[2]?.id ?? "", { verdict: "forget", at: "later" });
    session.undo(act?.id ?? 0);
    await session.settled();
    expect(standings(session)).toEqual(["open", "elsewhere", "changed", "open"]);
    expect([...node.decided.values()].map(({ verdict }) => verdict)).toEqual(["forget", "forget"]);
  });

  it("says when the page cannot be fetched and keeps what there is", async () => {
    const node = new NodeTwin(TEN);
    const session = await begun(node);
    press(session, "keep");
    await session.settled();
    node.broken = true;
    session.next();
    await session.settled();
    expect(session.get().trouble).toBeInstanceOf(Error);
    expect(session.get().review.rows).toHaveLength(4);
    node.broken = false;
    session.next();
    await session.settled();
    expect(session.get().trouble).toBeNull();
    expect(session.get().review.rows[0]?.id).toBe(TEN[4]?.id);
  });
});

describe("selecting", () => {
  const review = model.loaded(model.NOTHING, { rows: TEN.slice(0, 6), total: 10, further: false });
  const chosen = (of: model.Review): number[] =>
    of.rows.flatMap(({ id }, at) => (of.chosen.has(id) ? [at] : []));

  it("extends from where it began, either way", () => {
    const down = model.go(model.go(model.go(review, 2), 3, true), 4, true);
    expect(chosen(down)).toEqual([2, 3, 4]);
    expect(chosen(model.go(down, 1, true))).toEqual([1, 2]);
    expect(chosen(model.go(down, 9, true))).toEqual([2, 3, 4, 5]);
    expect(model.go(down, -3).at).toBe(0);
  });

  it("adds and takes single rows, and a range from the last of them", () => {
    const two = model.choose(model.choose(review, 1), 3);
    expect(chosen(two)).toEqual([1, 3]);
    expect(chosen(model.choose(two, 3))).toEqual([1]);
    expect(chosen(model.go(two, 5, true))).toEqual([3, 4, 5]);
  });

  it("means the row that one is at where nothing is selected", () => {
    expect(model.meant(model.go(review, 4)).map(({ id }) => id)).toEqual([TEN[4]?.id]);
    const act = { id: 1, verdict: "keep" as const, rows: TEN.slice(4, 5), made: null };
    expect(model.meant({ ...model.decide(review, act), at: 4 })).toEqual([]);
  });
});
