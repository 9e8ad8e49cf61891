"use client";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { useTrainings, useTrainingState } from "@/lib/api/training";
import type { Training } from "@/lib/api/types";
import { useTrainingText } from "@/lib/i18n/training";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { CourseFacts, CourseOf } from "./course";
import { Offer, OfferFacts } from "./offer";
import { LostTraining, TrainingPage } from "./page";
import { Prepared } from "./prepared";
import { trainingHref } from "./views";
import { Weekly } from "./weekly";

const UNDER_WAY: ReadonlySet<Training["state"]> = new Set(["prepared", "working", "stopped"]);

/**
 * The training that is meant: the one that the address names, else the newest as long as it is not
 * over.
 */
export const meant = (runs: readonly Training[], id: string): Training | undefined => {
  if (id !== "") return runs.find((run) => run.id === id);
  const newest = runs[0];
  return newest && UNDER_WAY.has(newest.state) ? newest : undefined;
};

/** What is being learned, from one sentence and one button to the end of the examination. */
export function Now({ id }: { id: string }) {
  const t = useTrainingText();
  const runs = useTrainings();
  const state = useTrainingState();
  const router = useRouter();
  const run = meant(runs.data?.items ?? [], id);
  // What is under way stands in the address, so that it stays on screen when it is over.
  const stays = id === "" && run ? trainingHref("now", run.id) : "";
  useEffect(() => {
    if (stays !== "") router.replace(stays);
  }, [router, stays]);
  if (!runs.data || !state.data) {
    const failed = runs.error ?? state.error;
    return (
      <TrainingPage view="now">
        {failed ? (
          <Trouble
            error={failed}
            onRetry={() => {
              void runs.refetch();
              void state.refetch();
            }}
          />
        ) : (
          <Loading words={t.place.loading} lines={6} />
        )}
      </TrainingPage>
    );
  }
  if (run === undefined || run.state === "tainted" || run.state === "thinned") {
    const last = run ?? runs.data.items[0];
    return (
      <TrainingPage view="now" beside={<OfferFacts state={state.data} runs={runs.data.items} />}>
        {id !== "" && run === undefined ? (
          <LostTraining />
        ) : (
          <Offer
            key={last?.state === "tainted" ? last.id : ""}
            state={state.data}
            last={last}
            runs={runs.data.items}
          />
        )}
        <Weekly runs={runs.data.items} />
      </TrainingPage>
    );
  }
  return (
    <TrainingPage view="now" beside={<CourseFacts key={run.id} run={run} />}>
      {run.state === "prepared" ? (
        <Prepared key={run.id} run={run} defaults={state.data.defaults} />
      ) : (
        <CourseOf key={run.id} run={run} defaults={state.data.defaults} />
      )}
      <Weekly runs={runs.data.items} />
    </TrainingPage>
  );
}
