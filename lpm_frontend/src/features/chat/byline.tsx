"use client";
import { useText } from "@/lib/i18n";
import { RoleSeal, Seal } from "@/ui/seal";
import { modelOf, type Answer } from "./exchanges";

/** Who answers, how far it is, and on how much it rests. */
export function Byline({
  answer,
  name,
  passages,
  cited,
}: {
  answer: Answer;
  name: string;
  passages: number;
  cited: number;
}) {
  const text = useText();
  const word = (): string => {
    switch (answer.phase) {
      case "looking":
        return text.chat.looking(passages);
      case "reading":
        if (answer.thought) return text.talk.thinks;
        return answer.ahead ? text.talk.ahead(answer.ahead) : text.chat.thinking;
      case "writing":
        return text.chat.answering;
      case "done":
        return answer.abstained
          ? text.chat.abstained
          : answer.outcome === "closest"
            ? text.chat.closest
            : answer.outcome === "talk"
              ? name
              : answer.speaker && cited === 0
                ? text.chat.inRole
                : text.chat.answered;
      case "stopped":
      case "failed":
      case "exhausted":
        return answer.abstained
          ? text.chat.abstained
          : answer.parts.length > 0
            ? text.chat.answered
            : text.chat.unanswered;
    }
  };
  const counted =
    cited > 0
      ? text.counts.sources(cited)
      : answer.phase === "reading"
        ? text.counts.passages(answer.evidence.length)
        : "";
  return (
    <p className="by">
      {answer.speaker ? (
        <RoleSeal glyph={answer.speaker.seal} size="xs" />
      ) : (
        <Seal name={name} size="xs" />
      )}
      <span>
        {answer.speaker ? (
          <b className="by-role">{answer.speaker.name || text.chat.roleSomebody}</b>
        ) : null}
        <b>{word()}</b>
        {counted === "" ? "" : ` · ${counted}`}
      </span>
      {answer.model ? (
        <span className="by-model">{answeredWith(answer.model, text.chat.training)}</span>
      ) : null}
    </p>
  );
}

/** Which model answered, and with which training. */
function answeredWith(model: string, training: (number: number) => string): string {
  const known = modelOf(model);
  return known.training === null ? model : `${known.base} · ${training(known.training)}`;
}
