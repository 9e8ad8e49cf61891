"use client";
import { useFinding, useMapping, useRelaying } from "@/lib/api/people";
import type { components } from "@/lib/api/schema";
import { usePeopleText } from "@/lib/i18n/people";
import { Check } from "@/ui/field";
import { Trouble } from "@/ui/trouble";

/** Relays through which contacts reach this node, what they learn, and whether it is one; whether
 * the router leads to it, and whether contacts find it on the local network. */
export function Relays({ reach }: { reach: components["schemas"]["ReachOut"] }) {
  const t = usePeopleText();
  const change = useRelaying();
  const finding = useFinding();
  const mapping = useMapping();
  return (
    <>
      {reach.relays.length === 0 ? null : (
        <details className="depth">
          <summary>{t.reach.relays.title}</summary>
          <ul className="tiny faint relay-list">
            {reach.relays.map((each) => (
              <li key={each.address}>
                <span className="people-did">{each.address}</span>
                <span>
                  {each.contact ? t.reach.relays.contact : t.reach.relays.named} ·{" "}
                  {each.kept ? t.reach.relays.kept : t.reach.relays.lost}
                </span>
              </li>
            ))}
          </ul>
          <p className="tiny faint">{t.reach.relays.learns}</p>
        </details>
      )}
      {reach.rendezvous === "" ? null : (
        <p className="tiny faint relay-list">
          {t.reach.relays.meeting} <span className="people-did">{reach.rendezvous}</span>
        </p>
      )}
      {reach.on ? (
        <>
          <Check
            label={t.reach.relays.carry}
            means={t.reach.relays.carryHint}
            checked={reach.relays_for_contacts}
            onChange={(relays) => change.mutate({ on: reach.on, relays })}
          />
          <Check
            label={t.reach.relays.map}
            means={t.reach.relays.mapHint}
            checked={reach.map_port}
            onChange={(map) => mapping.mutate({ on: reach.on, map })}
          />
          {reach.map_port && reach.port_mapping !== "off" ? (
            <p className="small" role="status">
              {t.reach.relays.mapping[reach.port_mapping]}
            </p>
          ) : null}
          <Check
            label={t.reach.relays.find}
            means={t.reach.relays.findHint}
            checked={reach.find_on_network}
            onChange={(find) => finding.mutate({ on: reach.on, find })}
          />
        </>
      ) : null}
      {change.isError ? <Trouble error={change.error} /> : null}
      {mapping.isError ? <Trouble error={mapping.error} /> : null}
      {finding.isError ? <Trouble error={finding.error} /> : null}
    </>
  );
}
