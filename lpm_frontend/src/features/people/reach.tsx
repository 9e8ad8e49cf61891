"use client";
import { useReach, useSwitch } from "@/lib/api/people";
import { usePeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Trouble } from "@/ui/trouble";
import { Relays } from "./relays";
import { Unlock } from "./unlock";

/** Whether others can reach this node, in a sentence, with the one button that changes it. */
export function Reach() {
  const t = usePeopleText();
  const query = useReach();
  const change = useSwitch();
  const reach = query.data;
  const alone = reach?.state === "listening" && !reach.everywhere;
  return (
    <section className="people-part reach">
      <h2 className="label">{t.reach.title}</h2>
      {query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : null}
      {reach ? (
        <>
          <p className="small" role="status">
            {alone ? t.reach.states.alone : t.reach.states[reach.state]}
          </p>
          {reach.locked ? <Unlock /> : null}
          {reach.addresses.length === 0 ? null : (
            <details className="depth">
              <summary>{t.reach.where}</summary>
              <ul className="tiny faint people-did">
                {reach.addresses.map((each) => (
                  <li key={each}>{each}</li>
                ))}
              </ul>
            </details>
          )}
          <Relays reach={reach} />
          <Button
            size="small"
            tone={reach.on ? "quiet" : "plain"}
            disabled={change.isPending}
            onClick={() => change.mutate(!reach.on)}
          >
            {reach.on ? t.reach.off : t.reach.on}
          </Button>
        </>
      ) : null}
      {change.isError ? <Trouble error={change.error} /> : null}
    </section>
  );
}
