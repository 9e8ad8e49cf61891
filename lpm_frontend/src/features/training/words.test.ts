import { expect, it } from "vitest";
import type { WordsLeaving } from "@/lib/api/types";
import { isAgreed, NO_PLACE, seenNow, wordsWish, type WordsPlace } from "./words";

const LEAVING: WordsLeaving = {
  host: "models.example.org",
  here: false,
  encrypted: true,
  sentences: 31,
  kept_here: 0,
};
const looked = (leaving: WordsLeaving, url = "https://models.example.org/v1"): WordsPlace => ({
  ...NO_PLACE,
  url,
  seen: { of: JSON.stringify({ words_at: url, private: false, documents: "none" }), leaving },
});

it("asks for a yes to what was shown, and for another one where that changed", () => {
  expect(isAgreed(NO_PLACE, {})).toBe(false);
  expect(isAgreed(looked(LEAVING), {})).toBe(false);
  const agreed = { ...looked(LEAVING), yes: true };
  expect(isAgreed(agreed, {})).toBe(true);
  expect(isAgreed(agreed, { documents: "own" })).toBe(false);
  expect(isAgreed({ ...agreed, url: "https://else.example.org/v1" }, {})).toBe(false);
  expect(seenNow(agreed, { private: true })).toBeNull();
});

it("needs no yes where nothing leaves", () => {
  expect(isAgreed(looked({ ...LEAVING, here: true }), {})).toBe(true);
  expect(isAgreed(looked({ ...LEAVING, sentences: 0 }), {})).toBe(true);
});

it("sends what was filled in", () => {
  expect(wordsWish({ ...looked(LEAVING), yes: true })).toEqual({
    wording: "endpoint",
    words_at: "https://models.example.org/v1",
    consent: true,
  });
  expect(wordsWish({ ...NO_PLACE, url: " http://x/v1 ", key: "k", model: " m " })).toEqual({
    wording: "endpoint",
    words_at: "http://x/v1",
    words_model: "m",
    words_key: "k",
    consent: false,
  });
});
