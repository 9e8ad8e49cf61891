"use client";
import { LoaderCircle } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import {
  isAtWork,
  useDeleteTraining,
  useLearn,
  useMeasure,
  useStopTraining,
} from "@/lib/api/training";
import type { Training } from "@/lib/api/types";
import { formatBytes, useLanguage, useText } from "@/lib/i18n";
import { useTrainingText } from "@/lib/i18n/training";
import { sentencesOfProblem } from "@/lib/problem";
import { Button } from "@/ui/button";
import { Failed } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Meter } from "@/ui/meter";
import { Trouble } from "@/ui/trouble";
import { Pairs } from "./pairs";
import { Rows, rowsOf } from "./rows";
import { SettingsRead } from "./settings";
import { writtenShare } from "./stages";
import { duration, numberIn } from "./time";
import { trainingHref } from "./views";
import { sentBy, ThoughtBy, WordedBy } from "./words";

/** Prepared: how long it would take, the rows to read and strike, and the button that begins. */
export function Prepared({
  run,
  defaults,
}: {
  run: Training;
  defaults: Readonly<Record<string, unknown>>;
}) {
  const text = useText();
  const t = useTrainingText();
  const language = useLanguage();
  const router = useRouter();
  const learn = useLearn();
  const discard = useDeleteTraining();
  const measure = useMeasure();
  const stop = useStopTraining();
  const [going, setGoing] = useState(false);
  const measuring = isAtWork(run);
  const problem = run.error && !measuring ? sentencesOfProblem(run.error, text) : null;
  const doing =
    run.job?.step === "word"
      ? t.ready.wording
      : run.job?.step === "think"
        ? t.ready.thinking
        : t.ready.measuring;
  const share = writtenShare(run);
  const sent = sentBy(run, t);
  const needs = [
    duration(numberIn(run.estimate, "seconds"), t),
    formatBytes(numberIn(run.estimate, "peak_bytes"), language),
  ] as const;
  const estimate =
    run.estimate === null
      ? t.ready.remeasure
      : sent === null
        ? t.ready.estimate(...needs)
        : t.ready.estimateSent(...needs, sent);
  const measured = numberIn(run.estimate, "rows");
  const stale = measured > 0 && measured !== rowsOf(run);
  return (
    <div className="training-step">
      <h2 className="training-title num">{t.ready.title(run.number)}</h2>
      <p className="training-lead num" role="status">
        {measuring ? (
          <>
            <Icon of={LoaderCircle} className="turning" />{" "}
            {share === null ? doing : t.ready.share(doing, Math.round(share * 100))}
          </>
        ) : (
          <>
            {estimate}
            {stale ? <span className="mute">{` ${t.ready.stale(measured)}`}</span> : null}
          </>
        )}
      </p>
      {measuring && share !== null ? <Meter value={share} label={doing} /> : null}
      {problem ? (
        <Failed title={problem.title} detail={problem.detail} hint={problem.hint} />
      ) : null}
      <div className="row wrap">
        <Button
          tone="ink"
          size="big"
          disabled={measuring || learn.isPending || going}
          onClick={() => learn.mutate(run.id)}
        >
          {t.ready.learn}
        </Button>
        {measuring ? (
          <Button
            tone="quiet"
            size="big"
            disabled={stop.isPending}
            onClick={() => stop.mutate(run.id)}
          >
            {t.during.cancel}
          </Button>
        ) : stale || problem || run.estimate === null ? (
          <Button
            tone="quiet"
            size="big"
            disabled={measure.isPending || going}
            onClick={() => measure.mutate(run.id)}
          >
            {stale || problem ? t.ready.measure : t.ready.measureFirst}
          </Button>
        ) : null}
        <Button
          tone="quiet"
          size="big"
          disabled={measuring || learn.isPending || going}
          onClick={() => {
            setGoing(true);
            void discard.mutateAsync(run.id).then(
              () => router.replace(trainingHref("now")),
              () => setGoing(false),
            );
          }}
        >
          {t.ready.discard}
        </Button>
      </div>
      {learn.isError ? <Trouble error={learn.error} /> : null}
      {measure.isError ? <Trouble error={measure.error} /> : null}
      {stop.isError ? <Trouble error={stop.error} /> : null}
      {discard.isError ? <Trouble error={discard.error} /> : null}
      <WordedBy run={run} />
      <ThoughtBy run={run} />
      <Rows run={run} open={!going} />
      <Pairs run={run} open={!going} />
      <SettingsRead defaults={defaults} settings={run.settings} />
    </div>
  );
}
