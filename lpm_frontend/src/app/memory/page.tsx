"use client";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { useEffect, useMemo } from "react";
import { MemoryPlace } from "@/features/memory/statements/memory";
import {
  biographyWishOf,
  filesWishOf,
  mapWishOf,
  opinionsWishOf,
  pagesWishOf,
  profileWishOf,
  timelineWishOf,
  viewOf,
} from "@/features/memory/views";
import { wishOf } from "@/features/memory/statements/wish";
import type { PlaceInText } from "@/features/source/place";
import { Reader } from "@/features/source/reader";
import { keepChoice, useChoice } from "@/lib/choice";

const Timeline = dynamic(
  () => import("@/features/memory/timeline/timeline").then((module) => module.Timeline),
  { ssr: false },
);
const MemoryMap = dynamic(
  () => import("@/features/memory/map/map").then((module) => module.MemoryMap),
  { ssr: false },
);
const Pages = dynamic(
  () => import("@/features/memory/pages/pages").then((module) => module.Pages),
  {
    ssr: false,
  },
);
const Opinions = dynamic(
  () => import("@/features/memory/statements/opinions").then((module) => module.Opinions),
  { ssr: false },
);
const BiographyPage = dynamic(
  () => import("@/features/memory/pages/biography").then((module) => module.BiographyPage),
  { ssr: false },
);
const Fading = dynamic(
  () => import("@/features/memory/fading/fading").then((module) => module.Fading),
  { ssr: false },
);
const ProfileView = dynamic(
  () => import("@/features/memory/profile/profile").then((module) => module.ProfileView),
  { ssr: false },
);
const ReviewPlace = dynamic(
  () => import("@/features/memory/review/review").then((module) => module.ReviewPlace),
  { ssr: false },
);
const Files = dynamic(
  () => import("@/features/memory/files/files").then((module) => module.Files),
  {
    ssr: false,
  },
);

const reader = (place: PlaceInText, onClose: () => void, name?: string) => (
  <Reader place={place} onClose={onClose} name={name} />
);

/**
 * `/memory?q=&kind=&about=&then=&id=`; with `keep=1` a statement is written at once. `?view=` shows
 * it another way, each fetched when it is asked for; without anything it is shown as it was last.
 */
export default function MemoryPage() {
  const search = useSearchParams();
  const said = search.toString();
  const address = useMemo(() => new URLSearchParams(said), [said]);
  const last = useChoice("memory-view", "today");
  const view = viewOf(address, last);
  useEffect(() => {
    if (view !== "review") keepChoice("memory-view", view);
  }, [view]);
  const wish = useMemo(() => wishOf(address), [address]);
  const map = useMemo(() => mapWishOf(address), [address]);
  const pages = useMemo(() => pagesWishOf(address), [address]);
  const days = useMemo(() => timelineWishOf(address), [address]);
  const opinions = useMemo(() => opinionsWishOf(address), [address]);
  const biography = useMemo(() => biographyWishOf(address), [address]);
  const profile = useMemo(() => profileWishOf(address), [address]);
  const files = useMemo(() => filesWishOf(address), [address]);
  switch (view) {
    case "files":
      return <Files wish={files} reader={reader} />;
    case "review":
      return <ReviewPlace reader={reader} />;
    case "fading":
      return <Fading />;
    case "opinions":
      return <Opinions wish={opinions} reader={reader} />;
    case "biography":
      return <BiographyPage wish={biography} reader={reader} />;
    case "profile":
      return <ProfileView wish={profile} />;
    case "timeline":
      return <Timeline wish={days} reader={reader} />;
    case "pages":
      return <Pages wish={pages} reader={reader} />;
    case "map":
      return <MemoryMap wish={map} reader={reader} />;
    case "today":
      return <MemoryPlace wish={wish} keep={search.get("keep") !== null} reader={reader} />;
  }
}
