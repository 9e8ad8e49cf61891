"use client";
import { ListChecks } from "lucide-react";
import Link from "next/link";
import { useCallback, useState } from "react";
import { useDecide, useUndecide, type useFindings } from "@/lib/api/findings";
import type { Finding } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { useLetFade } from "@/lib/fading";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { FindingItem, type Verdict } from "@/ui/finding";
import { Icon } from "@/ui/icon";
import { useStay } from "@/ui/stay";
import { Trouble } from "@/ui/trouble";

/** How many stand there before one asks for more. */
const FEW = 2;

/** What was found in what was read and waits for a word about it. */
export function Waiting({ query }: { query: ReturnType<typeof useFindings> }) {
  const text = useText();
  const decide = useDecide();
  const { mutate: undecide } = useUndecide();
  const letFade = useLetFade();
  const [all, setAll] = useState(false);
  const { mutateAsync } = decide;
  const settle = useCallback(
    (finding: Finding, decision: Verdict, content = ""): void =>
      offerUndoWhen(mutateAsync({ id: finding.id, decision, content }), (done) => ({
        sentence: text.findings.did[decision],
        undo: () => undecide(done.id),
      })),
    [mutateAsync, text, undecide],
  );
  const found = query.data?.items ?? [];
  const total = query.data?.total ?? 0;
  const list = useStay<HTMLElement>(
    found.map(({ id }) => id),
    decide.isPending,
  );
  if (query.isError && !query.data)
    return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  if (total === 0) return null;
  const shown = all ? found : found.slice(0, FEW);
  const rest = found.length - shown.length;
  return (
    <section className="found-today" aria-label={text.memory.waiting(total)} ref={list}>
      <h2 className="num">{text.memory.waiting(total)}</h2>
      <p className="small mute">{text.memory.waitingLead}</p>
      {decide.isError ? <Trouble error={decide.error} /> : null}
      {shown.map((finding) => (
        <FindingItem
          key={finding.id}
          finding={finding}
          busy={decide.isPending}
          onDecide={(verdict, content) => settle(finding, verdict, content)}
          onFade={letFade}
        />
      ))}
      <p className="found-more">
        {rest > 0 || all ? (
          <Button size="small" tone="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? text.memory.waitingFewer : text.memory.waitingAll(rest)}
          </Button>
        ) : null}
        <Link className="btn quiet small" href="/memory?view=review">
          <Icon of={ListChecks} />
          {text.memory.waitingReview}
        </Link>
      </p>
    </section>
  );
}
