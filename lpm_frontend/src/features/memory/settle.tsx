"use client";
import { useCoreLines, useDecideCore, useDisagreements, useSettle, useUndecideCore, useUnsettle, type Side } from "@/lib/api/reflections";
import type { CoreLine, Disagreement } from "@/lib/api/types";
import { useLivesText } from "@/lib/i18n/lives";
import { offerUndo } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Quote } from "@/ui/evidence";
import { Trouble } from "@/ui/trouble";
import { Rests } from "./rests";

const SIDES: readonly Side[] = ["changed", "first", "second", "both"];

/** What waits for a word from the person: facts that cannot both be so, and lines for what the node always has in mind. */
export function Settle() {
  return (
    <>
      <Disagreements />
      <CoreLines />
    </>
  );
}

function Disagreements() {
  const t = useLivesText();
  const query = useDisagreements();
  const settle = useSettle();
  const { mutate: unsettle } = useUnsettle();
  const items = (query.data?.items ?? []).filter((each) => each.first.length > 0 && each.second.length > 0);
  if (items.length === 0) return null;
  const say = (each: Disagreement, verdict: Side): void => settle.mutate({ id: each.id, verdict }, { onSuccess: () => offerUndo({ sentence: t.settle.settled, undo: () => unsettle(each.id) }) });
  return (
    <section className="found-today" aria-label={t.settle.title(items.length)}>
      <h2 className="num">{t.settle.title(items.length)}</h2>
      <p className="small mute">{t.settle.lead}</p>
      {settle.isError ? <Trouble error={settle.error} /> : null}
      {items.slice(0, 3).map((each) => (
        <article key={each.id} className="it settle" aria-label={each.first[0]?.quote}>
          <div className="settle-sides">
            {[each.first, each.second].map((side, at) => side.map((place) => <Rests key={`${String(at)} ${place.document}`} place={place} />))}
          </div>
          <div className="m">
            <span className="acts">
              {SIDES.map((side) => (
                <Button key={side} size="small" tone="quiet" disabled={settle.isPending} title={side === "changed" ? t.settle.changedMeans : undefined} onClick={() => say(each, side)}>
                  {t.settle.sides[side]}
                </Button>
              ))}
            </span>
          </div>
        </article>
      ))}
    </section>
  );
}

function CoreLines() {
  const t = useLivesText();
  const query = useCoreLines();
  const decide = useDecideCore();
  const { mutate: undecide } = useUndecideCore();
  const items = query.data?.items ?? [];
  if (items.length === 0) return null;
  const say = (each: CoreLine, accept: boolean): void =>
    decide.mutate({ id: each.id, accept }, { onSuccess: () => offerUndo({ sentence: accept ? t.core.took : t.core.turned, undo: () => undecide({ id: each.id, line: accept ? each.line : "" }) }) });
  return (
    <section className="found-today" aria-label={t.core.title}>
      <h2>{t.core.title}</h2>
      <p className="small mute">{t.core.lead}</p>
      {decide.isError ? <Trouble error={decide.error} /> : null}
      {items.slice(0, 2).map((each) => (
        <article key={each.id} className="it finding" aria-label={each.line}>
          <Quote>{each.line}</Quote>
          <div className="m">
            <span className="acts">
              <Button size="small" tone="quiet" disabled={decide.isPending} onClick={() => say(each, true)}>
                {t.core.take}
              </Button>
              <Button size="small" tone="quiet" disabled={decide.isPending} onClick={() => say(each, false)}>
                {t.core.not}
              </Button>
            </span>
          </div>
        </article>
      ))}
    </section>
  );
}
