"use client";
import { useRef, useState } from "react";
import type { Finding } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { useFadingText } from "@/lib/i18n/fading";
import { plain } from "@/lib/plain";
import { Button } from "./button";
import { AuthorName, placeOf, Quote, SourceLine } from "./evidence";
import { useLetters } from "./letters";
import { MendForm } from "./mend";
import { Standing } from "./standing";

export type Verdict = "keep" | "mend" | "forget";

/**
 * What was found, with where it stands, and keep, mend, forget; `a`, `m` and `f` do the same while
 * it has the focus.
 */
export function FindingItem({
  finding,
  busy,
  onDecide,
  onFade,
}: {
  finding: Finding;
  busy: boolean;
  onDecide: (verdict: Verdict, content?: string) => void;
  /** Propose no more of what was told in a conversation. */
  onFade: (thread: string) => void;
}) {
  const text = useText();
  const fading = useFadingText();
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
              <Button
                size="small"
                tone="quiet"
                disabled={busy}
                onClick={() => onFade(finding.document.id)}
              >
                {fading.letFade}
              </Button>
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
