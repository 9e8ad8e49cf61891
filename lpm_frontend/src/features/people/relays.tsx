"use client";
import { useRelaying } from "@/lib/api/people";
import type { components } from "@/lib/api/schema";
import { usePeopleText } from "@/lib/i18n/people";
import { Trouble } from "@/ui/trouble";

/** Relays through which contacts reach this node, what they learn, and whether it is one. */
export function Relays({ reach }: { reach: components["schemas"]["ReachOut"] }) {
  const t = usePeopleText().reach.relays;
  const change = useRelaying();
  return (
    <>
      {reach.relays.length === 0 ? null : (
        <details className="depth">
          <summary>{t.title}</summary>
          <ul className="tiny faint people-did">
            {reach.relays.map((each) => (
              <li key={each.address}>
                {each.address} · {each.contact ? t.contact : t.named} ·{" "}
                {each.kept ? t.kept : t.lost}
              </li>
            ))}
          </ul>
          <p className="tiny faint">{t.learns}</p>
        </details>
      )}
      {reach.rendezvous === "" ? null : (
        <p className="tiny faint people-did">{t.meeting(reach.rendezvous)}</p>
      )}
      {reach.on ? (
        <label className="small">
          <input
            type="checkbox"
            checked={reach.relays_for_contacts}
            disabled={change.isPending}
            onChange={(event) => change.mutate({ on: reach.on, relays: event.target.checked })}
          />{" "}
          {t.carry} <span className="tiny faint">{t.carryHint}</span>
        </label>
      ) : null}
      {change.isError ? <Trouble error={change.error} /> : null}
    </>
  );
}
