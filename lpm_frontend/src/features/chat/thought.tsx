"use client";
import { useText } from "@/lib/i18n";
import type { Answer } from "./exchanges";
import { isWriting, useThought } from "./live";

/**
 * What a model thought before it answered, behind a fold: nobody checked it, and it is gone when
 * the page is left.
 */
export function Thought({ answer }: { answer: Answer }) {
  const text = useText();
  const kept = useThought(answer.id);
  const thought = answer.thought ?? kept;
  if (thought.trim() === "") return null;
  const thinking = isWriting(answer) && answer.parts.length === 0;
  return (
    <details className="thought">
      <summary>{thinking ? text.talk.thinks : text.talk.thought}</summary>
      <p className="small mute">{thought.trim()}</p>
      <p className="tiny faint">{text.talk.thoughtMeans}</p>
    </details>
  );
}
