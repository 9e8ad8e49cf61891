"use client";
import { useText } from "@/lib/i18n";
import { confidenceOf, stepOf, STEPS, type Step } from "@/lib/sure";
import { Segmented } from "./field";

/** Five dots, as many full as there are steps. */
const Pips = ({ step }: { step: Step | 0 }) => (
  <span className="pips" aria-hidden="true">
    {STEPS.map((each) => (
      <i key={each} className={each <= step ? "on" : undefined} />
    ))}
  </span>
);

/** How sure: pips and a word, with the number as it was written beside them. */
export function Sure({ confidence }: { confidence: number }) {
  const text = useText();
  const step = stepOf(confidence);
  return (
    <span className="sure">
      <Pips step={step} />
      <span>{text.sure.steps[step - 1]}</span>
      <span className="num">{Number(confidence.toFixed(2))}</span>
    </span>
  );
}

/** Choose how sure, in words; a number that was written by hand stays while its step does. */
export function SureField({
  confidence,
  onChange,
}: {
  confidence: number | null;
  onChange: (confidence: number | null) => void;
}) {
  const text = useText();
  const now: Step | 0 = confidence === null ? 0 : stepOf(confidence);
  return (
    <Segmented<string>
      label={text.sure.label}
      value={String(now)}
      choices={([0, ...STEPS] as const).map((step) => [
        String(step),
        <span key={step} className="sure-choice">
          <Pips step={step} />
          {step === 0 ? text.sure.none : text.sure.steps[step - 1]}
        </span>,
      ])}
      onChange={(chosen) => {
        const step = STEPS.find((each) => String(each) === chosen);
        onChange(step === undefined ? null : confidenceOf(step, confidence));
      }}
    />
  );
}
