"use client";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { useMemo } from "react";
import { trainingWishOf } from "@/features/training/views";

const Now = dynamic(() => import("@/features/training/now").then((module) => module.Now), {
  ssr: false,
});
const ScorecardView = dynamic(
  () => import("@/features/training/scorecard").then((module) => module.ScorecardView),
  { ssr: false },
);
const Versions = dynamic(
  () => import("@/features/training/versions").then((module) => module.Versions),
  { ssr: false },
);
const Inside = dynamic(() => import("@/features/training/inside").then((module) => module.Inside), {
  ssr: false,
});

/**
 * `/training?view=now|scorecard|versions|inside&id=&with=`; each view is fetched when it is asked
 * for.
 */
export default function TrainingPage() {
  const said = useSearchParams().toString();
  const wish = useMemo(() => trainingWishOf(new URLSearchParams(said)), [said]);
  switch (wish.view) {
    case "scorecard":
      return <ScorecardView id={wish.id} />;
    case "versions":
      return <Versions wish={wish} />;
    case "inside":
      return <Inside id={wish.id} />;
    case "now":
      return <Now id={wish.id} />;
  }
}
