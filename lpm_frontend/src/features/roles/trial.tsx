"use client";
import { useEffect, useRef, useState } from "react";
import { tryRole } from "@/lib/api/turns";
import { NodeProblem } from "@/lib/api/client";
import type { Part, RoleWish } from "@/lib/api/types";
import { useRolesText } from "@/lib/i18n/roles";
import { Button } from "@/ui/button";
import { Quote } from "@/ui/evidence";
import { Loading } from "@/ui/faces";
import { Area } from "@/ui/field";
import { Trouble } from "@/ui/trouble";

interface Heard {
  readonly part: number;
  readonly kind: Part["kind"];
  readonly text: string;
}

/** Say something to the role as it is written now; nothing is kept. */
export function Trial({ wish, whole }: { wish: RoleWish; whole: boolean }) {
  const t = useRolesText();
  const [typed, setTyped] = useState("");
  const [heard, setHeard] = useState<readonly Heard[] | null>(null);
  const [trouble, setTrouble] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const asked = useRef<AbortController | null>(null);
  useEffect(() => () => asked.current?.abort(), []);
  const go = async (): Promise<void> => {
    asked.current?.abort();
    const mine = new AbortController();
    asked.current = mine;
    setHeard([]);
    setTrouble(null);
    setBusy(true);
    try {
      for await (const event of tryRole(wish, typed.trim(), mine.signal)) {
        if (event.event === "token") {
          const { part, kind, text } = event.data;
          setHeard((now) => [...(now ?? []), { part, kind, text }]);
        }
        if (event.event === "failed") {
          const { title, detail, hint } = event.data.problem;
          setTrouble(new NodeProblem("refused", 0, title, detail, hint ?? ""));
        }
      }
    } catch (error) {
      if (!mine.signal.aborted) setTrouble(error);
    } finally {
      if (asked.current === mine) setBusy(false);
    }
  };
  return (
    <section className="trial" aria-labelledby="trial-name">
      <h2 className="part" id="trial-name">
        {t.trial.title}
      </h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void go();
        }}
      >
        <Area
          label={t.trial.say}
          rows={2}
          maxLength={4_000}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          hint={whole ? t.trial.kept : t.trial.first}
        />
        <Button type="submit" disabled={!whole || typed.trim() === "" || busy}>
          {t.trial.go}
        </Button>
      </form>
      <div className="trial-said" aria-live="polite">
        {busy && heard?.length === 0 ? <Loading words={t.trial.waiting} lines={2} /> : null}
        {heard?.map((each) =>
          each.kind === "quotation" ? (
            <Quote key={each.part}>{each.text}</Quote>
          ) : (
            <p
              key={each.part}
              className={each.kind === "role" ? "played" : undefined}
              title={each.kind === "role" ? t.trial.own : undefined}
            >
              {each.text}
            </p>
          ),
        )}
        {heard?.some((each) => each.kind === "role") ? (
          <p className="tiny faint">{t.trial.own}</p>
        ) : null}
        {trouble === null ? null : <Trouble error={trouble} />}
      </div>
    </section>
  );
}
