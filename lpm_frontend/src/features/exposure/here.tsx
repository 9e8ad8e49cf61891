"use client";
import Link from "next/link";
import { useState } from "react";
import { useCloseBrowser, useCloseKey } from "@/lib/api/exposure";
import type { Exposure } from "@/lib/api/types";
import { formatDate, listed, useLanguage } from "@/lib/i18n";
import { useExposureText } from "@/lib/i18n/exposure";
import { useSettingsText } from "@/lib/i18n/settings";
import { Button } from "@/ui/button";
import { useStay } from "@/ui/stay";
import { Trouble } from "@/ui/trouble";
import { momentOf, Row } from "./row";

/**
 * Who may call from this machine: the command line, programs with a key, browsers that are signed
 * in.
 */
export function Callers({ known }: { known: Exposure }) {
  const t = useExposureText();
  return (
    <>
      <Keys known={known} />
      <Browsers known={known} />
      <ul className="exposure-list">
        <Row name={t.exposure.command} means={t.exposure.commandWith} />
      </ul>
    </>
  );
}

function Keys({ known }: { known: Exposure }) {
  const t = useExposureText();
  const words = useSettingsText();
  const language = useLanguage();
  const close = useCloseKey();
  const [gone, setGone] = useState("");
  const box = useStay<HTMLUListElement>(
    known.keys.map(({ id }) => id),
    close.isPending,
  );
  const scopes: Readonly<Record<string, string>> = words.settings.scopes;
  return (
    <div className="exposure-group">
      <h3>{t.exposure.programs}</h3>
      {known.keys.length === 0 ? <p className="small mute">{t.exposure.noPrograms}</p> : null}
      <ul className="exposure-list" ref={box} aria-label={t.exposure.programs}>
        {known.keys.map((each) => (
          <Row
            key={each.id}
            name={<span className="own">{each.name}</span>}
            means={t.exposure.mayDo(
              listed(
                each.scopes.map((scope) => scopes[scope] ?? scope),
                language,
              ),
            )}
            facts={[
              t.exposure.since(formatDate(each.created_at, language)),
              each.last_used_at === null
                ? t.exposure.unused
                : t.exposure.used(momentOf(each.last_used_at, language)),
            ]}
            act={
              <Button
                size="small"
                aria-label={t.exposure.revokeOf(each.name)}
                disabled={close.isPending}
                onClick={() => close.mutate(each.id, { onSuccess: () => setGone(each.name) })}
              >
                {t.exposure.revoke}
              </Button>
            }
          />
        ))}
      </ul>
      <p className="small mute" role="status">
        {gone === "" ? "" : t.exposure.gone(gone)}
      </p>
      {close.isError ? <Trouble error={close.error} /> : null}
      <Link className="link small" href="/settings#keys">
        {t.exposure.makeKey}
      </Link>
    </div>
  );
}

function Browsers({ known }: { known: Exposure }) {
  const t = useExposureText();
  const language = useLanguage();
  const close = useCloseBrowser();
  const [gone, setGone] = useState("");
  const others = known.browsers.filter(({ here }) => !here);
  const box = useStay<HTMLUListElement>(
    known.browsers.map(({ id }) => id),
    close.isPending,
  );
  return (
    <div className="exposure-group">
      <h3>{t.exposure.browsers}</h3>
      {known.browsers.length === 0 ? <p className="small mute">{t.exposure.noBrowsers}</p> : null}
      <ul className="exposure-list" ref={box} aria-label={t.exposure.browsers}>
        {known.browsers.map((each) => {
          const name = each.program === "" ? t.exposure.browser : each.program;
          return (
            <Row
              key={each.id}
              name={
                <>
                  <span className="word">{name}</span>{" "}
                  {each.here ? <span className="chip">{t.exposure.thisOne}</span> : null}
                </>
              }
              means={t.exposure.browserMay}
              facts={[
                t.exposure.since(momentOf(each.since, language)),
                each.last_used_at === null
                  ? t.exposure.usedUnknown
                  : t.exposure.used(momentOf(each.last_used_at, language)),
              ]}
              act={
                <Button
                  size="small"
                  aria-label={t.exposure.signOutOf(
                    each.here ? `${name}, ${t.exposure.thisOne}` : name,
                  )}
                  disabled={close.isPending}
                  onClick={() => close.mutate(each.id, { onSuccess: () => setGone(name) })}
                >
                  {t.exposure.signOut}
                </Button>
              }
            />
          );
        })}
      </ul>
      {others.length > 1 ? (
        <Button
          size="small"
          tone="quiet"
          disabled={close.isPending}
          onClick={() => others.forEach(({ id }) => close.mutate(id))}
        >
          {t.exposure.signOutOthers}
        </Button>
      ) : null}
      <p className="small mute" role="status">
        {gone === "" ? "" : t.exposure.gone(gone)}
      </p>
      {close.isError ? <Trouble error={close.error} /> : null}
    </div>
  );
}
