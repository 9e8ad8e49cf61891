"use client";
import Link from "next/link";
import { useCloseToContacts } from "@/lib/api/exposure";
import type { Exposure } from "@/lib/api/types";
import { useLanguage } from "@/lib/i18n";
import { useExposureText } from "@/lib/i18n/exposure";
import { Button } from "@/ui/button";
import { Command } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { momentOf, Row } from "./row";

type Listener = Exposure["listeners"][number];

/** Every address on which all interfaces are meant. */
const EVERY: readonly string[] = ["0.0.0.0", "::"];

const ORDER: readonly Listener["part"][] = ["screens", "contacts", "model", "other"];
const ordered = (listeners: readonly Listener[]): readonly Listener[] =>
  listeners.toSorted((one, other) => ORDER.indexOf(one.part) - ORDER.indexOf(other.part));

/** Every port that is held open. */
export function Listens({ known }: { known: Exposure }) {
  const t = useExposureText();
  const language = useLanguage();
  const close = useCloseToContacts();
  const placeOf = ({ host, port }: Listener): string =>
    EVERY.includes(host)
      ? t.exposure.everyInterface(port)
      : host.includes(":")
        ? `[${host}]:${port}`
        : `${host}:${port}`;
  const needs = {
    screens: t.exposure.needsKey,
    contacts: t.exposure.needsGrant,
    model: t.exposure.needsOwn,
    other: "",
  };
  const contacts = known.listeners.some(({ part }) => part === "contacts");
  return (
    <>
      {known.listeners.length === 0 ? <p className="small mute">{t.exposure.none}</p> : null}
      <ul className="exposure-list">
        {ordered(known.listeners).map((each) => (
          <Row
            key={`${each.host} ${each.port}`}
            name={
              <>
                {t.exposure.parts[each.part]}{" "}
                <span className={each.alone ? "exposure-reach stayed" : "exposure-reach away"}>
                  {each.alone ? t.exposure.alone : t.exposure.everywhere}
                </span>
              </>
            }
            means={
              <>
                <span className="mono">{placeOf(each)}</span>
                {needs[each.part] === "" ? null : <> · {needs[each.part]}</>}
              </>
            }
            facts={[t.exposure.since(momentOf(each.since, language))]}
            act={
              each.part === "contacts" ? (
                <Button size="small" disabled={close.isPending} onClick={() => close.mutate("")}>
                  {t.exposure.stopListening}
                </Button>
              ) : each.part === "screens" ? (
                <span className="small faint">
                  {t.exposure.stopNode} <Command>lpm stop</Command>
                </span>
              ) : null
            }
          >
            {each.part === "screens" && known.certificate ? (
              <div className="exposure-certificate">
                <p className="label">{t.exposure.fingerprint}</p>
                <p className="tiny mono">{known.certificate.sha256}</p>
                <p className="tiny faint">{t.exposure.fingerprintHint}</p>
              </div>
            ) : null}
            {each.part === "contacts" && known.addresses.length > 0 ? (
              <details className="depth">
                <summary className="small">{t.exposure.addresses}</summary>
                <ul className="tiny faint mono exposure-addresses">
                  {known.addresses.map((address) => (
                    <li key={address}>{address}</li>
                  ))}
                </ul>
              </details>
            ) : null}
          </Row>
        ))}
        {contacts ? null : (
          <Row
            name={t.exposure.noContacts}
            means={t.exposure.noContactsHint}
            act={
              <Link className="link small" href="/people">
                {t.exposure.open}
              </Link>
            }
          />
        )}
      </ul>
      <p className="sr" role="status">
        {close.isSuccess ? t.exposure.gone(t.exposure.stopped) : ""}
      </p>
      {close.isError ? <Trouble error={close.error} /> : null}
    </>
  );
}
