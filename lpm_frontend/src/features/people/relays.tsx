"use client";
import { useRelaying } from "@/lib/api/people";
import type { components } from "@/lib/api/schema";
import { usePeopleText } from "@/lib/i18n/people";
import { Trouble } from "@/ui/trouble";

/** Relays through which contacts reach this node, what they learn, and whether it is one. */
export function Relays({ reach }: { reach: components["schemas"]["ReachOut"] }) {
  const t = usePeopleText();
  const change = useRelaying();
  return (
    <>
      {reach.relays.length === 0 ? null : (
        <details className="depth">
          <summary>{t.reach.relays.title}</summary>
          <ul className="tiny faint people-did">
            {reach.relays.map((each) => (
              <li key={each.address}>
                {each.address} · {each.contact ? t.reach.relays.contact : t.reach.relays.named} ·{" "}
                {each.kept ? t.reach.relays.kept : t.reach.relays.lost}
              </li>
            ))}
          </ul>
          <p className="tiny faint">{t.reach.relays.learns}</p>
        </details>
      )}
      {reach.rendezvous === "" ? null : (
        <p className="tiny faint people-did">{t.reach.relays.meeting(reach.rendezvous)}</p>
      )}
      {reach.on ? (
        <label className="small">
          <input
            type="checkbox"
            checked={reach.relays_for_contacts}
            disabled={change.isPending}
            onChange={(event) => change.mutate({ on: reach.on, relays: event.target.checked })}
          />{" "}
          {t.reach.relays.carry} <span className="tiny faint">{t.reach.relays.carryHint}</span>
        </label>
      ) : null}
      {change.isError ? <Trouble error={change.error} /> : null}
    </>
  );
}
