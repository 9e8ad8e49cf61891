"use client";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { usePrepare } from "@/lib/api/training";
import type { Training, TrainingState } from "@/lib/api/types";
import { formatBytes, useLanguage, useText } from "@/lib/i18n";
import { useTrainingText } from "@/lib/i18n/training";
import { Button } from "@/ui/button";
import { Empty } from "@/ui/faces";
import { Check } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { documentsOf, OwnDocuments, useWritten, type FromDocuments } from "./own-documents";
import { FigureList } from "./page";
import { SettingsForm } from "./settings";
import { duration, numberIn } from "./time";
import { firstOf, trainingHref } from "./views";
import { notNumbers, wantedOf, wishOf, writtenOf, type Written } from "./wish";
import { isAgreed, placeIn, seenNow, WordsElsewhere, wordsWish, type WordsPlace } from "./words";

/** Statements below which there is nothing to learn. */
const FEWEST = 3;

/** Before: what would be learned in a sentence, and one button. */
export function Offer({
  state,
  last,
  runs,
}: {
  state: TrainingState;
  last: Training | undefined;
  runs: readonly Training[];
}) {
  const text = useText();
  const t = useTrainingText();
  const language = useLanguage();
  const router = useRouter();
  const prepare = usePrepare();
  const again = last?.state === "tainted" ? last : undefined;
  const lost = again?.lost === true;
  const before = again === undefined ? {} : firstOf(runs, again).settings;
  const [written, setWritten] = useState<Written>(() => writtenOf(before, state.defaults));
  const [personal, setPersonal] = useState(again?.audience === "owner");
  const [from, setFrom] = useState<FromDocuments>(() => documentsOf(before));
  const wrote = useWritten(from, personal);
  const [place, setPlace] = useState<WordsPlace>(() => placeIn(before));
  const took = numberIn(last?.outcome ?? null, "seconds");
  const peak = numberIn(last?.outcome ?? null, "peak_bytes");
  if (state.problem !== null) {
    return (
      <Empty title={t.before.problem}>
        {language === "en" ? <p className="mute">{state.problem}</p> : null}
        <Link className="btn" href="/settings#model">
          {t.before.models}
        </Link>
      </Empty>
    );
  }
  const kept = state.memories + (personal ? (state.left_out["private"] ?? 0) : 0);
  const fromDocuments = <OwnDocuments key="own" from={from} onChoose={setFrom} />;
  if (state.memories + (state.left_out["private"] ?? 0) + wrote < FEWEST) {
    return (
      <div className="training-step">
        <Empty title={t.before.few}>
          <p className="mute">{t.before.fewHint(state.memories, FEWEST)}</p>
          <Link className="btn" href="/memory?view=today">
            {t.before.today}
          </Link>
        </Empty>
        {fromDocuments}
      </div>
    );
  }
  const wanted = wantedOf(written, state.defaults);
  const isElsewhere = wanted.wording === "endpoint";
  const scope = {
    private: personal,
    documents: typeof from === "string" ? from : [...from],
    recent_days: wanted.recent_days,
    older: wanted.older,
    seed: wanted.seed,
  };
  const leaving = isElsewhere ? seenNow(place, scope) : null;
  // By the time it is answered the list holds it, and this offer has given its place to what was
  // prepared.
  const begin = (): void =>
    void prepare
      .mutateAsync({
        ...wishOf(written, state.defaults, again && { id: again.id, settings: before }),
        ...(isElsewhere ? wordsWish(place) : {}),
        documents: scope.documents,
        private: personal,
      })
      .then(
        ({ run }) => router.replace(trainingHref("now", run.id)),
        () => undefined,
      );
  return (
    <div className="training-step">
      {again === undefined ? null : (
        <p className="training-notice" role="status">
          {(lost ? t.before.lost : t.before.tainted)(again.number)}
        </p>
      )}
      <h2 className="training-title">{t.before.title}</h2>
      <p className="training-lead">
        {leaving !== null && !leaving.here
          ? t.words.lead(kept + wrote, leaving.host)
          : wrote > 0
            ? t.before.leadWith(kept, wrote)
            : t.before.lead(kept)}
      </p>
      <div className="row wrap">
        <Button
          tone="ink"
          size="big"
          disabled={
            prepare.isPending ||
            notNumbers(written).length > 0 ||
            (isElsewhere && !isAgreed(place, scope))
          }
          onClick={begin}
        >
          {prepare.isPending
            ? t.before.preparing
            : again === undefined
              ? t.before.prepare
              : lost
                ? t.before.againAll
                : t.before.again}
        </Button>
        {last?.state === "ready" ? (
          <Link className="link small" href={trainingHref("scorecard", last.id)}>
            {t.before.last(last.number)}
          </Link>
        ) : null}
      </div>
      {prepare.isError ? <Trouble error={prepare.error} /> : null}
      <p className="small mute num">
        {t.before.prepareHint}
        {took > 0 && peak > 0
          ? ` ${t.before.lastTook(duration(took, t), formatBytes(peak, language))}`
          : ""}
      </p>
      {fromDocuments}
      {(state.left_out["private"] ?? 0) > 0 ? (
        <Check
          label={t.before.private}
          means={t.before.privateMeans}
          checked={personal}
          onChange={setPersonal}
        />
      ) : null}
      <SettingsForm defaults={state.defaults} written={written} onWrite={setWritten} />
      {isElsewhere ? <WordsElsewhere place={place} scope={scope} onChange={setPlace} /> : null}
      <p className="sr" role="status">
        {prepare.isPending ? text.app.loading : ""}
      </p>
    </div>
  );
}

/** Beside it: what there is to learn, what is left out and why, and what answers now. */
export function OfferFacts({ state, runs }: { state: TrainingState; runs: readonly Training[] }) {
  const t = useTrainingText();
  const used = runs.find((run) => run.id === state.in_use);
  return (
    <>
      <FigureList
        title={t.facts.learns}
        rows={[[t.facts.memories, state.memories.toLocaleString()]]}
      />
      <FigureList
        title={t.facts.leftOut}
        rows={Object.entries(state.left_out).map(
          ([why, count]) => [t.names.leftOut[why] ?? why, count.toLocaleString()] as const,
        )}
      />
      <FigureList
        title={t.facts.model}
        rows={[
          ...(state.base === null
            ? []
            : [
                [
                  t.inside.baseModel,
                  <span key="base" className="mono">
                    {state.base.split("@")[0]}
                  </span>,
                ] as const,
              ]),
          [t.facts.answers, used ? t.place.one(used.number) : t.versions.base] as const,
          [
            t.facts.sent,
            <span key="sent" className="stayed">
              {t.facts.nothing}
            </span>,
          ] as const,
        ]}
      />
    </>
  );
}
