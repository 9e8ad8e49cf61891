import { describe, expect, it } from "vitest";
import type { Offer } from "@/lib/api/types";
import {
  canReconsider,
  isOpen,
  isWaiting,
  mediaKindOf,
  ownStandOf,
  shareOf,
  standOf,
} from "./offer-state";

const NOW = Date.parse("2026-03-14T12:00:00Z");
const CAME: Offer = {
  id: "m",
  contact: "p_1",
  name: "Asako",
  ours: false,
  told: true,
  title: "The canal",
  media: "text/markdown",
  size: 80_000,
  hash: "h",
  until: "2026-03-21T12:00:00Z",
  withdrawn_at: null,
  document: null,
  state: "offered",
  fetched: 0,
  came_at: "2026-03-14T11:00:00Z",
  grant: null,
  kept: null,
  code: "",
};
const LATE = Date.parse(CAME.until);
const STATES = ["offered", "fetching", "failed", "here", "kept", "refused"] as const;

describe("an offer that came in", () => {
  it("stands as the node says while it lasts", () => {
    expect(STATES.map((state) => standOf({ ...CAME, state }, NOW))).toEqual([
      "new",
      "fetching",
      "failed",
      "here",
      "kept",
      "refused",
    ]);
  });

  it("is gone with its last second, but for what is here and what was decided", () => {
    expect(STATES.map((state) => standOf({ ...CAME, state }, LATE))).toEqual([
      "gone",
      "gone",
      "gone",
      "here",
      "kept",
      "refused",
    ]);
  });

  it("waits for the person before it is fetched and once it is here", () => {
    expect(STATES.filter((state) => isWaiting({ ...CAME, state }, NOW))).toEqual([
      "offered",
      "here",
    ]);
    expect(STATES.filter((state) => isWaiting({ ...CAME, state }, LATE))).toEqual(["here"]);
    expect(STATES.filter((state) => isOpen({ ...CAME, state }, NOW))).toEqual([
      "offered",
      "fetching",
      "failed",
      "here",
    ]);
  });

  it("can be had again after a refusal, as long as it lasts", () => {
    const refused: Offer = { ...CAME, state: "refused" };
    expect([canReconsider(refused, NOW), canReconsider(refused, LATE)]).toEqual([true, false]);
    expect(canReconsider({ ...refused, ours: true }, NOW)).toBe(false);
    expect(canReconsider(CAME, NOW)).toBe(false);
  });
});

it("knows where one of one's own stands", () => {
  const mine: Offer = { ...CAME, ours: true };
  expect(ownStandOf(mine, NOW)).toBe("open");
  expect(ownStandOf(mine, LATE)).toBe("over");
  expect(ownStandOf({ ...mine, withdrawn_at: "2026-03-14T11:30:00Z" }, NOW)).toBe("withdrawn");
  expect(isOpen(mine, NOW)).toBe(true);
  expect(isWaiting(mine, NOW)).toBe(false);
});

it("says what it is by the kind that was named", () => {
  const named = (...all: readonly string[]) => all.map(mediaKindOf);
  expect(named("text/plain", "application/json", "application/ld+json")).toEqual([
    "text",
    "text",
    "text",
  ]);
  expect(named("application/pdf", "image/png", "audio/mpeg", "video/mp4")).toEqual([
    "pdf",
    "picture",
    "sound",
    "video",
  ]);
  expect(named("application/zip", "application/x-tar", "application/octet-stream", "x")).toEqual([
    "archive",
    "archive",
    "file",
    "file",
  ]);
});

it("has come no way where the size is not known yet", () => {
  expect(shareOf({ ...CAME, fetched: 20_000 })).toBe(0.25);
  expect(shareOf({ ...CAME, size: 0, fetched: 0 })).toBe(0);
});
