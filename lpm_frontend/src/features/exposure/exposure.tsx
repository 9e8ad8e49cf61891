"use client";
import type { ReactNode } from "react";
import { useExposure } from "@/lib/api/exposure";
import type { Exposure } from "@/lib/api/types";
import { formatBytes, formatTime, useLanguage } from "@/lib/i18n";
import { useExposureText } from "@/lib/i18n/exposure";
import { useSettingsText } from "@/lib/i18n/settings";
import { Bar } from "@/ui/bar";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { Elsewhere, Went } from "./gone";
import { Callers } from "./here";
import { Listens } from "./listens";
import { People } from "./people";

/**
 * Who can reach what, from where and since when; where texts go; what has left. Every row with what
 * closes it.
 */
export function ExposurePlace() {
  const t = useExposureText();
  const words = useSettingsText();
  const query = useExposure();
  const known = query.data;
  return (
    <>
      <Bar title={words.settings.exposure} />
      <div className="main exposure">
        {known ? (
          <>
            <Verdict known={known} onAgain={() => void query.refetch()} busy={query.isFetching} />
            {query.isError ? (
              <Trouble error={query.error} onRetry={() => void query.refetch()} />
            ) : null}
            <Part id="listens" title={t.exposure.listens} lead={t.exposure.listensLead}>
              <Listens known={known} />
            </Part>
            <Part id="here" title={t.exposure.here} lead={t.exposure.hereLead}>
              <Callers known={known} />
            </Part>
            <Part id="people" title={t.exposure.people} lead={t.exposure.peopleLead}>
              <People known={known} />
            </Part>
            <Part id="elsewhere" title={t.exposure.elsewhere} lead={t.exposure.elsewhereLead}>
              <Elsewhere known={known} />
            </Part>
            <Part id="went" title={t.exposure.went} lead={t.exposure.wentLead}>
              <Went known={known} />
            </Part>
          </>
        ) : query.isError ? (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Loading words={t.exposure.loading} lines={9} />
        )}
      </div>
    </>
  );
}

/** All of it in two sentences. */
function Verdict({
  known,
  onAgain,
  busy,
}: {
  known: Exposure;
  onAgain: () => void;
  busy: boolean;
}) {
  const t = useExposureText();
  const language = useLanguage();
  const asking = known.people.filter(({ grants }) => grants.length > 0).length;
  const others = known.keys.length + asking + known.elsewhere.length;
  const alone = known.listeners.every((each) => each.alone || each.part !== "screens");
  const went = known.bytes > 0 || known.answers > 0;
  return (
    <header className="exposure-head">
      <h2 className={others === 0 && !went ? "stayed" : undefined}>
        <span role="status">
          {others === 0
            ? alone
              ? t.exposure.only
              : t.exposure.onlyAnywhere
            : t.exposure.some(known.keys.length, asking, known.elsewhere.length)}
          {language === "ja" ? "" : " "}
          {went
            ? t.exposure.left(
                formatBytes(known.bytes, language).replace(" ", "\u00a0"),
                known.answers,
              )
            : t.exposure.nothingLeft}
        </span>
      </h2>
      <p className="mute">{t.exposure.lead}</p>
      <p className="row small faint num">
        <span>{t.exposure.lookedAt(formatTime(known.looked_at, language))}</span>
        <Button size="small" tone="quiet" disabled={busy} onClick={onAgain}>
          {t.exposure.again}
        </Button>
      </p>
    </header>
  );
}

function Part({
  id,
  title,
  lead,
  children,
}: {
  id: string;
  title: string;
  lead: string;
  children: ReactNode;
}) {
  return (
    <section className="exposure-part" id={id} aria-labelledby={`${id}-name`}>
      <h2 id={`${id}-name`}>{title}</h2>
      <p className="small mute">{lead}</p>
      {children}
    </section>
  );
}
