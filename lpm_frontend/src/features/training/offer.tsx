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
import { OwnDocuments, useWritten, type FromDocuments } from "./own-documents";
import { FigureList } from "./page";
import { SettingsForm, wishOf, type Written } from "./settings";
import { duration, numberIn } from "./time";
import { firstOf, trainingHref } from "./views";
import { isAgreed, NO_PLACE, seenNow, WordsElsewhere, wordsWish, type WordsPlace } from "./words";

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
  const [written, setWritten] = useState<Written>({});
  const again = last?.state === "tainted" ? last : undefined;
  const [personal, setPersonal] = useState(again?.audience === "owner");
  const [from, setFrom] = useState<FromDocuments>("none");
  const wrote = useWritten(from, personal);
  const [place, setPlace] = useState<WordsPlace>(NO_PLACE);
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
  // By the time it is answered the list holds it, and this offer has given its place to what was
  // prepared.
  const documents = from === "none" ? {} : { documents: from === "own" ? from : [...from] };
  const before = again === undefined ? {} : firstOf(runs, again).settings;
  const isElsewhere = (written.wording ?? before["wording"]) === "endpoint";
  const wish = {
    ...(again === undefined || written.wording === undefined ? {} : { wording: written.wording }),
    ...wishOf(written),
    ...documents,
    private: personal,
  };
  const leaving = isElsewhere ? seenNow(place, wish) : null;
  const begin = (): void =>
    void prepare
      .mutateAsync({
        ...wish,
        ...(isElsewhere ? wordsWish(place) : {}),
        ...(again === undefined ? {} : { again: again.id }),
      })
      .then(
        ({ run }) => router.replace(trainingHref("now", run.id)),
        () => undefined,
      );
  return (
    <div className="training-step">
      {again === undefined ? null : (
        <p className="training-notice" role="status">
          {t.before.tainted(again.number)}
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
          disabled={prepare.isPending || (isElsewhere && !isAgreed(place, wish))}
          onClick={begin}
        >
          {prepare.isPending
            ? t.before.preparing
            : again === undefined
              ? t.before.prepare
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
      <SettingsForm
        defaults={{ ...state.defaults, ...before }}
        written={written}
        onWrite={setWritten}
      />
      {isElsewhere ? <WordsElsewhere place={place} scope={wish} onChange={setPlace} /> : null}
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
