"use client";
import type { ReactNode } from "react";
import type { TrainingWish } from "@/lib/api/types";
import { useTrainingText, type TrainingText } from "@/lib/i18n/training";
import { Button } from "@/ui/button";
import { Field, Segmented } from "@/ui/field";

/** In the order in which a person may want to change them. */
export const SETTINGS = [
  "epochs",
  "steps",
  "recent_days",
  "older",
  "questions",
  "notes",
  "enhance",
  "critic",
  "diversity",
  "discretion",
  "unknown",
  "general",
  "pairs",
  "beta",
  "preference_rate",
  "preference_epochs",
  "preference_batch",
  "strength",
  "rank",
  "alpha",
  "dropout",
  "learning_rate",
  "warmup_steps",
  "batch",
  "micro_batch_size",
  "checkpoint_every",
  "patience",
  "threads",
  "seed",
] as const;
type Setting = (typeof SETTINGS)[number];
const PRECISIONS = ["auto", "float32", "bfloat16"] as const;
type Precision = (typeof PRECISIONS)[number];

const DEVICES = ["auto", "cpu", "cuda", "mps"] as const;
type Device = (typeof DEVICES)[number];

const YES_OR_NO = ["no", "yes"] as const;
type YesOrNo = (typeof YES_OR_NO)[number];

const WORDINGS = ["templates", "model", "endpoint"] as const;
type Wording = (typeof WORDINGS)[number];
const REASONINGS = ["none", "weak", "multi", "strong"] as const;
type Reasoning = (typeof REASONINGS)[number];
const THOUGHTS = ["rules", "model"] as const;
type Thoughts = (typeof THOUGHTS)[number];
/** What the node takes where nothing is chosen; it is not sent. */
const UNCHOSEN: readonly string[] = ["auto", "templates", "no", "none", "rules"];

/** What was written into the fields; what is not there stays at its default. */
export type Written = Readonly<
  Partial<
    Record<Setting, string> & {
      precision: Precision;
      device: Device;
      wording: Wording;
      reasoning: Reasoning;
      thoughts: Thoughts;
      dpo: YesOrNo;
      on_policy: YesOrNo;
    }
  >
>;

/**
 * What was written as the node takes it. What is no number is left to the node, which says what it
 * can be.
 */
export function wishOf(written: Written): TrainingWish {
  const numbers = SETTINGS.flatMap((name) => {
    const value = written[name]?.trim() ?? "";
    return value === "" ? [] : [[name, Number(value)] as const];
  });
  const chosen = (["precision", "device", "wording", "reasoning", "thoughts"] as const).flatMap(
    (name) => {
      const value = written[name];
      return value === undefined || UNCHOSEN.includes(value) ? [] : [[name, value] as const];
    },
  );
  return {
    ...Object.fromEntries(numbers),
    ...Object.fromEntries(chosen),
    ...(written.dpo === "yes" ? { dpo: true } : {}),
    ...(written.on_policy === "yes" ? { on_policy: true } : {}),
  };
}

const isWording = (value: unknown): value is Wording => WORDINGS.some((each) => each === value);
const isReasoning = (value: unknown): value is Reasoning =>
  REASONINGS.some((each) => each === value);
const shown = (value: unknown, t: TrainingText): string =>
  value === "rules"
    ? t.settings.thoughts.rules
    : isWording(value)
      ? t.settings.wordings[value]
      : isReasoning(value)
        ? t.settings.reasonings[value]
        : typeof value === "boolean"
          ? t.settings.yesOrNo[value ? "yes" : "no"]
          : typeof value === "number"
            ? String(value)
            : typeof value === "string" && value !== "auto"
              ? value
              : t.settings.auto;

interface FormProps {
  defaults: Readonly<Record<string, unknown>>;
  written: Written;
  onWrite: (written: Written) => void;
}

const asCode = (value: string, t: TrainingText): ReactNode =>
  value === "auto" ? t.settings.auto : <code key={value}>{value}</code>;

interface ChoiceProps<Value extends string> {
  name: string;
  value: Value;
  choices: readonly (readonly [Value, ReactNode])[];
  onChange: (value: Value) => void;
}

/** A setting that has one of a few values, with what it means. */
function Choice<Value extends string>({ name, value, choices, onChange }: ChoiceProps<Value>) {
  const t = useTrainingText();
  return (
    <div className="of-few">
      <Segmented
        label={t.settings.name[name] ?? ""}
        value={value}
        choices={choices}
        onChange={onChange}
      />
      <p className="tiny faint">{t.settings.means[name]}</p>
    </div>
  );
}

/** Every setting with what it means, folded away: nothing here has to be filled in. */
export function SettingsForm({ defaults, written, onWrite }: FormProps) {
  const t = useTrainingText();
  const changed = Object.values(written).filter(
    (value) => value !== "" && !UNCHOSEN.includes(value),
  ).length;
  return (
    <details className="depth">
      <summary>
        <span>{t.settings.title}</span>
        <span className="faint num">
          {changed === 0 ? t.settings.defaults : t.settings.changed(changed)}
        </span>
      </summary>
      <div className="training-settings">
        {SETTINGS.map((name) => (
          <Field
            key={name}
            label={t.settings.name[name] ?? name}
            hint={`${t.settings.means[name] ?? ""}${name === "recent_days" ? "" : ` ${t.settings.usual(shown(defaults[name], t))}`}`}
            inputMode="decimal"
            value={written[name] ?? ""}
            placeholder={name === "recent_days" ? t.settings.everything : shown(defaults[name], t)}
            onChange={(event) => onWrite({ ...written, [name]: event.target.value })}
          />
        ))}
        <Choice
          name="dpo"
          value={written.dpo ?? "no"}
          choices={YES_OR_NO.map((each) => [each, t.settings.yesOrNo[each]])}
          onChange={(dpo) => onWrite({ ...written, dpo })}
        />
        {written.dpo !== "yes" ? null : (
          <Choice
            name="on_policy"
            value={written.on_policy ?? "no"}
            choices={YES_OR_NO.map((each) => [each, t.settings.yesOrNo[each]])}
            onChange={(on_policy) => onWrite({ ...written, on_policy })}
          />
        )}
        <Choice
          name="wording"
          value={written.wording ?? "templates"}
          choices={WORDINGS.map((each) => [each, t.settings.wordings[each]])}
          onChange={(wording) => onWrite({ ...written, wording })}
        />
        <Choice
          name="reasoning"
          value={written.reasoning ?? "none"}
          choices={REASONINGS.map((each) => [each, t.settings.reasonings[each]])}
          onChange={(reasoning) => onWrite({ ...written, reasoning })}
        />
        {(written.reasoning ?? "none") === "none" ? null : (
          <Choice
            name="thoughts"
            value={written.thoughts ?? "rules"}
            choices={THOUGHTS.map((each) => [each, t.settings.thoughts[each]])}
            onChange={(thoughts) => onWrite({ ...written, thoughts })}
          />
        )}
        <Choice
          name="precision"
          value={written.precision ?? "auto"}
          choices={PRECISIONS.map((each) => [each, asCode(each, t)])}
          onChange={(precision) => onWrite({ ...written, precision })}
        />
        <Choice
          name="device"
          value={written.device ?? "auto"}
          choices={DEVICES.map((each) => [each, asCode(each, t)])}
          onChange={(device) => onWrite({ ...written, device })}
        />
      </div>
      {changed === 0 ? null : (
        <Button size="small" tone="quiet" onClick={() => onWrite({})}>
          {t.settings.reset}
        </Button>
      )}
    </details>
  );
}

/** The settings that a training was prepared with. */
export function SettingsRead({
  defaults,
  settings,
}: {
  defaults: FormProps["defaults"];
  settings: Readonly<Record<string, unknown>>;
}) {
  const t = useTrainingText();
  const asked = settings["wording"] === "endpoint" ? (["words_at", "words_model"] as const) : [];
  const names = [
    ...SETTINGS,
    "dpo",
    "on_policy",
    "wording",
    ...asked,
    "reasoning",
    "thoughts",
    "precision",
    "device",
  ] as const;
  const changed = names.filter(
    (name) => name in settings && settings[name] !== defaults[name],
  ).length;
  return (
    <details className="depth">
      <summary>
        <span>{t.settings.title}</span>
        <span className="faint num">
          {changed === 0 ? t.settings.defaults : t.settings.changed(changed)}
        </span>
      </summary>
      <p className="small mute">{t.settings.fixed}</p>
      <dl className="training-set">
        {names.map((name) => (
          <div key={name}>
            <dt>{t.settings.name[name]}</dt>
            <dd className="num mono">{shown(settings[name], t)}</dd>
            <dd className="tiny faint means">{t.settings.means[name]}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
