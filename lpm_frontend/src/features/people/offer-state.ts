/** Where an offer stands for the person who looks at it, and what they may do about it. */
import type { Offer } from "@/lib/api/types";

/** `gone`: its time was over before it was fetched. */
export type Stand = "new" | "fetching" | "here" | "failed" | "kept" | "refused" | "gone";
export type OwnStand = "open" | "withdrawn" | "over";

const isOver = ({ until }: Offer, now: number): boolean => Date.parse(until) <= now;

/** How far an offer has come that came in. What is here, and what was decided, has no end. */
export function standOf(offer: Offer, now: number): Stand {
  switch (offer.state) {
    case "here":
    case "kept":
    case "refused":
      return offer.state;
    case "offered":
      return isOver(offer, now) ? "gone" : "new";
    case "fetching":
    case "failed":
      return isOver(offer, now) ? "gone" : offer.state;
  }
}

/** Where one of the person's own stands. */
export const ownStandOf = (offer: Offer, now: number): OwnStand =>
  offer.withdrawn_at === null ? (isOver(offer, now) ? "over" : "open") : "withdrawn";

/** Whether the person can still do something about it, beyond looking back. */
export const isOpen = (offer: Offer, now: number): boolean =>
  offer.ours
    ? ownStandOf(offer, now) === "open"
    : ["new", "fetching", "here", "failed"].includes(standOf(offer, now));

/** Whether it waits for the person's word. */
export const isWaiting = (offer: Offer, now: number): boolean =>
  !offer.ours && ["new", "here"].includes(standOf(offer, now));

/** A refusal can be taken back while the offer lasts. */
export const canReconsider = (offer: Offer, now: number): boolean =>
  !offer.ours && offer.state === "refused" && !isOver(offer, now);

export type MediaKind = "text" | "pdf" | "picture" | "sound" | "video" | "archive" | "file";

const FAMILIES: Readonly<Record<string, MediaKind>> = {
  text: "text",
  image: "picture",
  audio: "sound",
  video: "video",
};
const SUBTYPES: readonly (readonly [RegExp, MediaKind])[] = [
  [/^pdf$/, "pdf"],
  [/(?:^|[-.+])(?:zip|tar|gzip|7z)/, "archive"],
  [/(?:json|xml|rtf)$/, "text"],
];

/** What an item is, from what the other side says of it; what it says is not checked. */
export function mediaKindOf(media: string): MediaKind {
  const [family = "", subtype = ""] = media.split("/", 2);
  return FAMILIES[family] ?? SUBTYPES.find(([pattern]) => pattern.test(subtype))?.[1] ?? "file";
}

/** How much of it is here, or was given, from 0 to 1; nothing is known of a size of 0. */
export const shareOf = ({ fetched, size }: Offer): number => (size === 0 ? 0 : fetched / size);
