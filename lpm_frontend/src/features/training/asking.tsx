"use client";
import { useState, type SyntheticEvent } from "react";
import { askWeights } from "@/lib/api/training";
import type { Training } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { useTrainingText } from "@/lib/i18n/training";
import { sentencesOf } from "@/lib/problem";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import type { Arm } from "./measures";

/** The same question, four ways. */
const ASKED = ["base", "retrieval", "sft", "sft_retrieval"] as const satisfies readonly Arm[];
const TRAINED: ReadonlySet<Arm> = new Set<Arm>(["sft", "sft_retrieval"]);
const READING: ReadonlySet<Arm> = new Set<Arm>(["retrieval", "sft_retrieval"]);

type Said = { readonly words: string } | { readonly error: unknown };

/**
 * One question to the base, with memory only, trained, and trained with memory: one after the
 * other, as one model answers them all.
 */
export function AskFourWays({ run }: { run: Training }) {
  const text = useText();
  const t = useTrainingText();
  const [question, setQuestion] = useState("");
  const [said, setSaid] = useState<Readonly<Partial<Record<Arm, Said>>> | null>(null);
  const [asking, setAsking] = useState<Arm | null>(null);
  const ask = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault();
    const words = question.trim();
    if (words === "" || asking !== null) return;
    setSaid({});
    for (const arm of ASKED) {
      setAsking(arm);
      const answer: Said = await askWeights(
        words,
        TRAINED.has(arm) ? run.id : "",
        READING.has(arm),
      ).then(
        ({ answer: came }) => ({ words: came }),
        (error: unknown) => ({ error }),
      );
      setSaid((before) => ({ ...before, [arm]: answer }));
    }
    setAsking(null);
  };
  return (
    <section className="four-ways" aria-label={t.asking.title}>
      <h3 className="part">{t.asking.title}</h3>
      <p className="small mute">{t.asking.lead}</p>
      <form onSubmit={(event) => void ask(event)}>
        <Field
          label={t.asking.question}
          className="quiet-label"
          placeholder={t.asking.question}
          voice="own"
          maxLength={4000}
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
        />
        <Button type="submit" disabled={asking !== null || question.trim() === ""}>
          {t.asking.ask}
        </Button>
      </form>
      {said === null ? null : (
        <dl aria-live="polite" aria-busy={asking !== null}>
          {ASKED.map((arm) => {
            const answer = said[arm];
            return (
              <div key={arm}>
                <dt className="label">{t.card.arms[arm]}</dt>
                <dd>
                  {answer === undefined ? (
                    <span className="faint">{arm === asking ? t.asking.thinking : " "}</span>
                  ) : "error" in answer ? (
                    <span className="mute">{sentencesOf(answer.error, text).title}</span>
                  ) : answer.words === "" ? (
                    <span className="faint">{t.asking.silent}</span>
                  ) : (
                    <span className="preview-said">{answer.words}</span>
                  )}
                </dd>
                <dd className="tiny faint num">
                  {TRAINED.has(arm) ? t.asking.weights(run.number) : t.asking.noWeights}
                </dd>
              </div>
            );
          })}
        </dl>
      )}
    </section>
  );
}
