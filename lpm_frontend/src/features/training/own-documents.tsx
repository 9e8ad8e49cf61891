"use client";
import { useState } from "react";
import { useOwnDocuments } from "@/lib/api/training";
import { useTrainingText } from "@/lib/i18n/training";
import { Loading } from "@/ui/faces";
import { Check } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import type { Settings } from "./wish";

/** From which documents it learns: none, all of the person's, or these. */
export type FromDocuments = "none" | "own" | readonly string[];

/** The documents from which an earlier training learned. */
export function documentsOf({ documents }: Settings): FromDocuments {
  if (documents === "own") return documents;
  return Array.isArray(documents) && documents.length > 0 ? documents.map(String) : "none";
}

/** How many sentences these documents have; private ones count for a training of one's own. */
export function useWritten(from: FromDocuments, personal: boolean): number {
  const query = useOwnDocuments(from !== "none");
  const items = query.data?.items ?? [];
  const counted = items.filter(
    ({ id, private: sealed }) =>
      (personal || !sealed) && (from === "own" || (from !== "none" && from.includes(id))),
  );
  const all = counted.reduce((sum, { statements }) => sum + statements, 0);
  return Math.min(all, query.data?.most ?? 0);
}

/** What the person wrote and did not keep: learned too, all of it or from chosen documents. */
export function OwnDocuments({
  from,
  onChoose,
}: {
  from: FromDocuments;
  onChoose: (from: FromDocuments) => void;
}) {
  const t = useTrainingText();
  const [open, setOpen] = useState(false);
  const query = useOwnDocuments(from !== "none");
  const items = query.data?.items ?? [];
  const isChosen = (id: string): boolean => from === "own" || from.includes(id);
  const choose = (id: string, chosen: boolean): void => {
    const others = items.map((each) => each.id).filter((each) => each !== id && isChosen(each));
    const next = chosen ? [...others, id] : others;
    onChoose(next.length === items.length ? "own" : next);
  };
  return (
    <div className="own-documents">
      <Check
        label={t.own.label}
        means={t.own.means}
        checked={from !== "none"}
        onChange={(wanted) => onChoose(wanted ? "own" : "none")}
      />
      {from === "none" ? null : query.isError && !query.data ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading words={t.own.loading} lines={2} />
      ) : items.length === 0 ? (
        <p className="small mute">{t.own.nothing}</p>
      ) : (
        <>
          <p className="small mute num" role="status">
            {t.own.found(query.data.statements, items.length)}
            {query.data.statements > query.data.most ? ` ${t.own.most(query.data.most)}` : ""}
          </p>
          <details
            className="depth"
            open={open}
            onToggle={(event) => setOpen(event.currentTarget.open)}
          >
            <summary>{t.own.choose}</summary>
            <ul className="own-document-list" aria-label={t.own.choose}>
              {items.map((each) => (
                <li key={each.id}>
                  <label className="check">
                    <input
                      type="checkbox"
                      checked={isChosen(each.id)}
                      onChange={(event) => choose(each.id, event.target.checked)}
                    />
                    <span className="own">{each.title}</span>
                  </label>
                  <span className="tiny faint num">
                    {t.own.sentences(each.statements)}
                    {each.private ? ` · ${t.own.private}` : ""}
                  </span>
                </li>
              ))}
            </ul>
          </details>
        </>
      )}
    </div>
  );
}
