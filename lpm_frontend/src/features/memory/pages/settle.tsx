"use client";
import { BookOpenText } from "lucide-react";
import { useState } from "react";
import { useDisagreements, useSettle, useUnsettle, type Side } from "@/lib/api/reflections";
import type { DatedEvidence, Disagreement } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { useLivesText } from "@/lib/i18n/lives";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { useStay } from "@/ui/stay";
import { Trouble } from "@/ui/trouble";
import type { ReaderOf } from "../beside";
import { CoreLines } from "./core-lines";
import { Rests } from "../statements/rests";
import { Wrote } from "./wrote";

const SIDES: readonly Side[] = ["changed", "first", "second", "both"];
/** More than three at once nobody weighs. */
const FEW = 3;

/**
 * What waits for a word from the person: facts that cannot both be so, lines for what the node
 * always has in mind, and what it wrote by itself.
 */
export function Settle({ reader }: { reader: ReaderOf }) {
  const items = (useDisagreements().data?.items ?? []).filter(
    (each) => each.first.length > 0 && each.second.length > 0,
  );
  return (
    <>
      {items.length === 0 ? null : <Disagreements items={items} reader={reader} />}
      <CoreLines />
      <Wrote />
    </>
  );
}

function Disagreements({ items, reader }: { items: readonly Disagreement[]; reader: ReaderOf }) {
  const text = useText();
  const t = useLivesText();
  const settle = useSettle();
  const unsettle = useUnsettle();
  const list = useStay<HTMLElement>(
    items.map(({ id }) => id),
    settle.isPending,
  );
  const [opened, setOpened] = useState("");
  const read = items.find((each) => each.id === opened);
  const error = settle.error ?? unsettle.error;
  const say = (each: Disagreement, verdict: Side): void =>
    offerUndoWhen(
      settle.mutateAsync({ id: each.id, verdict }, { onSuccess: () => setOpened("") }),
      () => ({ sentence: t.settle.settled, undo: () => unsettle.mutate(each.id) }),
    );
  return (
    <section className="found-today" aria-label={t.settle.title(items.length)} ref={list}>
      <h2 className="num">{t.settle.title(items.length)}</h2>
      <p className="small mute">{t.settle.lead}</p>
      {error === null ? null : <Trouble error={error} />}
      {items.slice(0, FEW).map((each) => (
        <article key={each.id} className="it settle" aria-label={each.first[0]?.quote}>
          {each.about === null ? null : <h3 className="own settle-about">{each.about}</h3>}
          <div className="settle-sides">
            {[each.first, each.second].map((side, at) =>
              side.map((place) => (
                <Rests
                  key={`${String(at)} ${place.document}`}
                  place={place}
                  onOpen={() => setOpened(each.id)}
                />
              )),
            )}
          </div>
          <div className="m">
            <Button
              size="small"
              tone="quiet"
              icon={BookOpenText}
              onClick={() => setOpened(each.id)}
            >
              {t.settle.read}
            </Button>
            <Verdicts busy={settle.isPending} onSay={(side) => say(each, side)} />
          </div>
        </article>
      ))}
      <Dialog
        open={read !== undefined}
        onClose={() => setOpened("")}
        title={t.settle.read}
        closeLabel={text.frame.close}
        shape="full"
      >
        {read ? (
          <div className="settle-read">
            <div className="settle-places">
              {([read.first, read.second] as const).map((side, at) =>
                side
                  .slice(0, 1)
                  .map((place) => (
                    <div key={place.source}>
                      {reader(
                        placeOf(place),
                        () => setOpened(""),
                        at === 0 ? t.settle.first : t.settle.second,
                      )}
                    </div>
                  )),
              )}
            </div>
            <div className="settle-word">
              <p className="small mute">{t.settle.lead}</p>
              <Verdicts busy={settle.isPending} onSay={(side) => say(read, side)} />
            </div>
          </div>
        ) : null}
      </Dialog>
    </section>
  );
}

const placeOf = ({ document, start, end }: DatedEvidence) => ({ document, start, end });

function Verdicts({ busy, onSay }: { busy: boolean; onSay: (side: Side) => void }) {
  const t = useLivesText();
  return (
    <span className="acts">
      {SIDES.map((side) => (
        <Button
          key={side}
          size="small"
          tone="quiet"
          disabled={busy}
          title={side === "changed" ? t.settle.changedMeans : undefined}
          onClick={() => onSay(side)}
        >
          {t.settle.sides[side]}
        </Button>
      ))}
    </span>
  );
}
