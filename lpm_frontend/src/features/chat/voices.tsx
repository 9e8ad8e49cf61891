"use client";
import { useStatus } from "@/lib/api/status";
import { keepChoice, useChoice } from "@/lib/choice";
import { useText } from "@/lib/i18n";
import { Segmented } from "@/ui/field";

/** With the training in use, by the model without it, or once each. */
export type Voice = "self" | "base" | "both";

const CHOICE = "voice";

/** Which voice answers: the one chosen last; without a training in use there is only one. */
export function useVoice(): Voice {
  const chosen = useChoice(CHOICE, "self");
  const training = useStatus().data?.training ?? null;
  return training !== null && (chosen === "base" || chosen === "both") ? chosen : "self";
}

/** Answered as the person, by the base model, or by both. Nothing where no training is in use. */
export function Voices({ voice }: { voice: Voice }) {
  const text = useText();
  const training = useStatus().data?.training ?? null;
  if (training === null) return null;
  return (
    <div className="seats-ask voices">
      <Segmented
        label={text.talk.voice}
        value={voice}
        choices={[
          ["self", text.talk.asYou],
          ["base", text.talk.base],
          ["both", text.talk.both],
        ]}
        onChange={(chosen) => keepChoice(CHOICE, chosen)}
      />
    </div>
  );
}
