"use client";
import { useRef, useState } from "react";
import type { Finding } from "@/lib/api/types";
import { useConsolidate } from "@/lib/api/threads";
import { useText } from "@/lib/i18n";
import { useFadingText } from "@/lib/i18n/fading";
import { offerUndoWhen } from "@/lib/undo";
import { plain } from "@/lib/plain";
import { Button } from "./button";
import { AuthorName, placeOf, Quote, SourceLine } from "./evidence";
import { useLetters } from "./letters";
import { MendForm } from "./mend";
import { Standing } from "./standing";

export type Verdict = "keep" | "mend" | "forget";

/** Propose no more of what was told in a chat. */
function LetFade({ thread, busy }: { thread: string; busy: boolean }) {
  const t = useFadingText();
  const consolidate = useConsolidate();
  return (
    <Button
      size="small"
      tone="quiet"
      disabled={busy || consolidate.isPending}
      onClick={() =>
        offerUndoWhen(consolidate.mutateAsync({ id: thread, consolidated: false }), () => ({
          sentence: t.fades,
          undo: () => consolidate.mutate({ id: thread, consolidated: true, decided: false }),
        }))
      }
    >
      {t.letFade}
    </Button>
  );
}

/**
 * What was found, with where it stands, and keep, mend, forget; `a`, `m` and `f` do the same while
 * it has the focus.
 */
export function FindingItem({
  finding,
  busy,
  onDecide,
}: {
  finding: Finding;
  busy: boolean;
  onDecide: (verdict: Verdict, content?: string) => void;
}) {
  const text = useText();
  const [mending, setMending] = useState(false);
  const said = plain(finding.content);
  // what was said in a chat stays as it was said
  const ofChat = finding.source.startsWith("conversations/");
  const item = useRef<HTMLElement>(null);
  useLetters(
    item,
    {
      keep: () => onDecide("keep"),
      mend: () => (ofChat ? undefined : setMending(true)),
      forget: () => (ofChat ? undefined : onDecide("forget")),
    },
    busy,
  );
  return (
    <article ref={item} className="it finding" aria-label={said}>
      {mending ? (
        <MendForm
          said={said}
          busy={busy}
          onMend={(content) => onDecide("mend", content)}
          onLeave={() => setMending(false)}
        />
      ) : (
        <Quote author={finding.author ?? null}>{said}</Quote>
      )}
      <div className="m">
        <Standing of={finding.kind} inferred={finding.inferred} />
        <AuthorName author={finding.author} />
        <SourceLine
          title={finding.document.title}
          kind={finding.document.kind}
          place={placeOf(finding, text)}
        />
        {mending ? null : (
          <span className="acts">
            <Button size="small" tone="quiet" disabled={busy} onClick={() => onDecide("keep")}>
              {text.findings.keep}
            </Button>
            {ofChat ? (
              <LetFade thread={finding.document.id} busy={busy} />
            ) : (
              <>
                <Button size="small" tone="quiet" disabled={busy} onClick={() => setMending(true)}>
                  {text.findings.mend}
                </Button>
                <Button
                  size="small"
                  tone="quiet"
                  disabled={busy}
                  onClick={() => onDecide("forget")}
                >
                  {text.findings.forget}
                </Button>
              </>
            )}
          </span>
        )}
      </div>
    </article>
  );
}
