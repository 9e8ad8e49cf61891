import { describe, expect, it } from "vitest";
import { answerEvent, trialEvent } from "./events";

describe("an event that the node streams", () => {
  it("is understood as the contract says", () => {
    expect(answerEvent({ event: "waiting", data: '{"ahead": 2}' })).toEqual({
      event: "waiting",
      data: { ahead: 2 },
    });
    expect(
      trialEvent({ event: "done", data: '{"abstained": false, "outcome": "answered"}' }),
    ).toEqual({
      event: "done",
      data: { abstained: false, outcome: "answered" },
    });
  });

  it("may hold more than this page knows", () => {
    const data = '{"part": 0, "kind": "note", "text": "雨", "later": 1}';
    expect(answerEvent({ event: "token", data })?.event).toBe("token");
  });

  it("is passed over where this page does not know it", () => {
    expect(answerEvent({ event: "later", data: "[" })).toBeNull();
    expect(trialEvent({ event: "evidence", data: "{}" })).toBeNull();
  });

  it("is a fault where it is shaped otherwise", () => {
    for (const data of ["{}", "[]", "null", '{"ahead": "two"}', "{"])
      expect(() => answerEvent({ event: "waiting", data })).toThrow();
    expect(() => trialEvent({ event: "done", data: '{"turn": {}}' })).toThrow();
  });
});
