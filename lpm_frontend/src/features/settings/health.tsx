"use client";
import { CircleAlert, CircleCheck, CircleX, type LucideIcon } from "lucide-react";
import Link from "next/link";
import { useHealth } from "@/lib/api/status";
import type { Check } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { useSettingsText } from "@/lib/i18n/settings";
import { checkSentence } from "@/lib/said";
import { Button } from "@/ui/button";
import { Command, Loading } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Trouble } from "@/ui/trouble";
import { Section } from "./section";

const MARKS: Readonly<Record<Check["state"], LucideIcon>> = {
  fine: CircleCheck,
  look: CircleAlert,
  broken: CircleX,
};

/**
 * What the node can check about itself: sentences with a mark, each broken one with its command.
 */
export function Health() {
  const text = useText();
  const words = useSettingsText();
  const query = useHealth();
  const checks = query.data?.checks ?? [];
  const wanting = checks.filter((check) => check.state !== "fine").length;
  return (
    <Section id="health" title={words.settings.health} lead={words.settings.healthLead}>
      {query.isPending ? <Loading words={words.settings.healthLoading} lines={5} /> : null}
      {query.isError && !query.data ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : null}
      {query.data ? (
        <>
          <p role="status">
            {wanting === 0
              ? words.settings.healthFine(checks.length)
              : words.settings.healthNot(wanting)}
          </p>
          <ul className="checks">
            {checks.map((check) => (
              <li key={check.id}>
                <span className={`mark ${check.state}`}>
                  <Icon of={MARKS[check.state]} />
                  {words.settings.marks[check.state]}
                </span>
                <span>
                  <b>{text.health[check.id] ?? check.id}</b>
                  <br />
                  <span className="said">{checkSentence(check, text)}</span>{" "}
                  {check.command ? <Command>{check.command}</Command> : null}
                </span>
              </li>
            ))}
          </ul>
          <div className="sec-foot">
            <Button size="small" disabled={query.isFetching} onClick={() => void query.refetch()}>
              {words.settings.healthAgain}
            </Button>
            <Link className="link small" href="/exposure">
              {words.settings.exposure}
            </Link>
          </div>
        </>
      ) : null}
    </Section>
  );
}
