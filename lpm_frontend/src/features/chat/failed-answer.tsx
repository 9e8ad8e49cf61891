"use client";
import { useText } from "@/lib/i18n";
import { sentencesOfProblem } from "@/lib/problem";
import { Button } from "@/ui/button";
import { Failed } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import type { Answer } from "./exchanges";

/** An answer that broke off: what the problem says, and asking once more. */
export function FailedAnswer({ answer, onAskAgain }: { answer: Answer; onAskAgain: () => void }) {
  const text = useText();
  const again = (
    <Button size="small" tone="quiet" onClick={onAskAgain}>
      {text.chat.askAgain}
    </Button>
  );
  if (answer.error) return <Trouble error={answer.error}>{again}</Trouble>;
  const problem = answer.problem ? sentencesOfProblem(answer.problem, text) : null;
  return (
    <Failed
      title={answer.parts.length > 0 || !problem ? text.chat.failedTitle : problem.title}
      detail={problem ? problem.detail : text.chat.failedDetail}
      hint={problem?.hint ?? ""}
      report={problem?.report ?? ""}
    >
      {again}
    </Failed>
  );
}
