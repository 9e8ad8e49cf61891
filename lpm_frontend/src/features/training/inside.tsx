"use client";
import Link from "next/link";
import { useDeferredValue, useState } from "react";
import { useMemories } from "@/lib/api/memories";
import { useKnowing, useLineage, useTrainings } from "@/lib/api/training";
import type { LearnedFrom, Training } from "@/lib/api/types";
import { formatDate, useLanguage } from "@/lib/i18n";
import { useTrainingText } from "@/lib/i18n/training";
import { spokenOf } from "@/lib/statement";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Field } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { FigureList, LostTraining, NoTraining, TrainingPage, Which } from "./page";
import { placeOf, trainingHref } from "./views";

/**
 * Where a training came from, statement by statement; and the other way, which trainings know a
 * statement.
 */
export function Inside({ id }: { id: string }) {
  const t = useTrainingText();
  const query = useTrainings();
  if (!query.data)
    return (
      <TrainingPage view="inside">
        {query.isError ? (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Loading words={t.inside.loading} lines={6} />
        )}
      </TrainingPage>
    );
  const runs = query.data.items;
  const run =
    id === "" ? (runs.find((each) => each.in_use) ?? runs[0]) : runs.find((each) => each.id === id);
  if (!run)
    return (
      <TrainingPage view="inside">{id === "" ? <NoTraining /> : <LostTraining />}</TrainingPage>
    );
  return (
    <TrainingPage view="inside" beside={<Origin run={run} runs={runs} />}>
      <Which runs={runs} current={run.id} view="inside" />
      <Lineage key={run.id} run={run} />
      <WhichKnow />
    </TrainingPage>
  );
}

const AT_FIRST = 50;

function Lineage({ run }: { run: Training }) {
  const t = useTrainingText();
  const query = useLineage(run.id);
  const [typed, setTyped] = useState("");
  const [most, setMost] = useState(AT_FIRST);
  const words = useDeferredValue(typed.trim().toLocaleLowerCase());
  if (!query.data)
    return query.isError ? (
      <Trouble error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <Loading words={t.inside.loading} lines={6} />
    );
  const all = query.data.memories;
  const outdated = all.filter((each) => each.content !== null && each.learned !== null).length;
  const found =
    words === "" ? all : all.filter(({ content }) => content?.toLocaleLowerCase().includes(words));
  return (
    <div className="training-step">
      <h2 className="training-title num">{t.place.one(run.number)}</h2>
      <p className="training-lead num">
        {run.state === "tainted"
          ? (run.lost ? t.before.lost : t.before.tainted)(run.number)
          : run.state === "thinned"
            ? t.before.thinned(run.number)
            : t.inside.lead(all.length, query.data.documents.length)}
      </p>
      {run.state === "tainted" ? (
        <p>
          <Link className="btn" href={trainingHref("now", run.id)}>
            {run.lost ? t.before.againAll : t.before.again}
          </Link>
        </p>
      ) : null}
      {outdated > 0 ? <p className="small num">{t.inside.outdated(outdated)}</p> : null}
      {all.length > 0 ? (
        <Field
          label={t.inside.search}
          className="quiet-label"
          type="search"
          placeholder={t.inside.search}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      ) : null}
      <ul className="learned-list" aria-label={t.inside.list}>
        {found.slice(0, most).map((each) => (
          <Learned key={each.memory} from={each} />
        ))}
      </ul>
      {found.length > most ? (
        <div>
          <Button size="small" onClick={() => setMost(most + AT_FIRST)}>
            {t.inside.more(Math.min(AT_FIRST, found.length - most))}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function Learned({ from }: { from: LearnedFrom }) {
  const t = useTrainingText();
  if (from.content === null) {
    return (
      <li className="faint small">
        {t.inside.gone}{" "}
        {from.learned === null ? (
          <code className="tiny">{from.memory}</code>
        ) : (
          <del className="own">{from.learned}</del>
        )}
      </li>
    );
  }
  return (
    <li>
      <Link className="own" href={placeOf(from)} aria-label={t.inside.open(from.content)}>
        {from.content}
      </Link>
      {from.learned === null ? null : (
        <p className="small mute">
          {t.inside.learned} <del className="own">{from.learned}</del>
        </p>
      )}
    </li>
  );
}

/** The other way: choose a statement, and see which trainings know it. */
function WhichKnow() {
  const t = useTrainingText();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState("");
  const words = useDeferredValue(typed.trim());
  const query = useMemories({ kinds: [], about: "", words, asOf: "", forgotten: false });
  const knowing = useKnowing(chosen);
  const found =
    words === "" || query.isPlaceholderData ? [] : (query.data?.pages[0]?.items ?? []).slice(0, 8);
  return (
    <section className="which-know training-step" aria-label={t.inside.ways}>
      <h2 className="part">{t.inside.ways}</h2>
      <Field
        label={t.inside.waysSearch}
        hint={t.inside.waysHint}
        type="search"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen("");
        }}
      />
      {words !== "" && query.isSuccess && !query.isPlaceholderData && found.length === 0 ? (
        <p className="small mute">{t.inside.noMatch}</p>
      ) : null}
      <ul className="learned-list">
        {found.map((memory) => (
          <li key={memory.id}>
            <button
              type="button"
              className="own"
              aria-expanded={memory.id === chosen}
              onClick={() => setChosen(memory.id === chosen ? "" : memory.id)}
            >
              {spokenOf(memory)}
            </button>
            {memory.id === chosen && knowing.data ? (
              <p className="small known-by num" role="status">
                {knowing.data.items.length === 0 ? t.inside.nobody : `${t.inside.knows} `}
                {knowing.data.items.map((run) => (
                  <Link key={run.id} className="link" href={trainingHref("inside", run.id)}>
                    {t.place.one(run.number)}
                  </Link>
                ))}
              </p>
            ) : null}
            {memory.id === chosen && knowing.isError ? <Trouble error={knowing.error} /> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The texts that it learned from, by their hashes; folded away. */
function Texts({ id }: { id: string }) {
  const t = useTrainingText();
  const texts = useLineage(id).data?.texts ?? [];
  if (texts.length === 0) return null;
  return (
    <details className="depth">
      <summary>{t.inside.texts(texts.length)}</summary>
      <p className="small mute">{t.inside.textsHint}</p>
      <ul className="text-hashes">
        {texts.map((text) => (
          <li key={`${text.document} ${text.sha256}`} className="small">
            <Link
              className="link mono"
              href={`/library?id=${encodeURIComponent(text.document)}`}
              title={text.sha256}
              aria-label={t.inside.openText(text.sha256.slice(0, 12))}
            >
              {text.sha256.slice(0, 12)}
            </Link>
            {text.same ? null : <span className="mute"> {t.inside.textChanged}</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Beside it: what it was made from and when, whom it may answer, and the hashes of its files. */
function Origin({ run, runs }: { run: Training; runs: readonly Training[] }) {
  const t = useTrainingText();
  const language = useLanguage();
  const parent = runs.find((each) => each.id === run.parent);
  return (
    <>
      <FigureList
        title={t.facts.label}
        rows={[
          [t.inside.made, formatDate(run.created_at, language)],
          [
            t.inside.baseModel,
            <span key="base" className="mono">
              {run.base.split("@")[0]}
            </span>,
          ],
          [
            t.inside.parent,
            parent ? (
              <Link key="parent" className="link" href={trainingHref("inside", parent.id)}>
                {t.place.one(parent.number)}
              </Link>
            ) : (
              t.versions.base
            ),
          ],
          [t.inside.audience, t.names.audiences[run.audience]],
        ]}
      />
      <section className="figure-list">
        <h2 className="label">{t.inside.hashes}</h2>
        <dl className="hashes">
          {Object.entries(run.hashes).map(([what, hash]) => (
            <div key={what}>
              <dt>{t.names.hashes[what] ?? what}</dt>
              <dd className="mono">{hash}</dd>
            </div>
          ))}
        </dl>
      </section>
      <Texts id={run.id} />
      <p className="small mute">{t.inside.forget}</p>
      <p className="small">
        <Link className="link" href={trainingHref("versions")}>
          {t.place.all}
        </Link>
      </p>
    </>
  );
}
