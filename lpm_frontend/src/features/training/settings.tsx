"use client";
import type { ReactNode } from "react";
import { listed, useLanguage } from "@/lib/i18n";
import { useTrainingText, type TrainingText } from "@/lib/i18n/training";
import { Button } from "@/ui/button";
import { Field, Segmented } from "@/ui/field";
import {
  changedIn,
  CHOICES,
  notNumbers,
  SETTINGS,
  wantedOf,
  type Choices,
  type Settings,
  type Written,
} from "./wish";

type Wording = Choices["wording"];
type Reasoning = Choices["reasoning"];
const isWording = (value: unknown): value is Wording =>
  CHOICES.wording.some((each) => each === value);
const isReasoning = (value: unknown): value is Reasoning =>
  CHOICES.reasoning.some((each) => each === value);
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
  defaults: Settings;
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

/** A setting that is on or off. */
function YesOrNo({
  name,
  value,
  onChange,
}: {
  name: string;
  value: boolean;
  onChange: (value: boolean) => void;
}) {
  const t = useTrainingText();
  return (
    <Choice
      name={name}
      value={value ? "yes" : "no"}
      choices={(["no", "yes"] as const).map((each) => [each, t.settings.yesOrNo[each]])}
      onChange={(chosen) => onChange(chosen === "yes")}
    />
  );
}

/** Every setting with what it means, folded away: nothing here has to be filled in. */
export function SettingsForm({ defaults, written, onWrite }: FormProps) {
  const t = useTrainingText();
  const language = useLanguage();
  const wanted = wantedOf(written, defaults);
  const changed = changedIn(wanted, defaults).length;
  const wrong = notNumbers(written);
  const nameOf = (name: string): string => t.settings.name[name] ?? name;
  return (
    <details className="depth">
      <summary>
        <span>{t.settings.title}</span>
        <span className={wrong.length === 0 ? "faint num" : "faint wrong num"}>
          {wrong.length > 0
            ? t.settings.notNumbers(listed(wrong.map(nameOf), language))
            : changed === 0
              ? t.settings.defaults
              : t.settings.changed(changed)}
        </span>
      </summary>
      <div className="training-settings">
        {SETTINGS.map((name) => (
          <Field
            key={name}
            label={nameOf(name)}
            hint={`${t.settings.means[name] ?? ""}${name === "recent_days" ? "" : ` ${t.settings.usual(shown(defaults[name], t))}`}`}
            wrong={wrong.includes(name) ? t.settings.notNumber : ""}
            inputMode="decimal"
            value={written[name] ?? ""}
            placeholder={name === "recent_days" ? t.settings.everything : shown(defaults[name], t)}
            onChange={(event) => onWrite({ ...written, [name]: event.target.value })}
          />
        ))}
        <YesOrNo name="dpo" value={wanted.dpo} onChange={(dpo) => onWrite({ ...written, dpo })} />
        {wanted.dpo ? (
          <YesOrNo
            name="on_policy"
            value={wanted.on_policy}
            onChange={(on_policy) => onWrite({ ...written, on_policy })}
          />
        ) : null}
        <Choice
          name="wording"
          value={wanted.wording}
          choices={CHOICES.wording.map((each) => [each, t.settings.wordings[each]])}
          onChange={(wording) => onWrite({ ...written, wording })}
        />
        <Choice
          name="reasoning"
          value={wanted.reasoning}
          choices={CHOICES.reasoning.map((each) => [each, t.settings.reasonings[each]])}
          onChange={(reasoning) => onWrite({ ...written, reasoning })}
        />
        {wanted.reasoning === "none" ? null : (
          <Choice
            name="thoughts"
            value={wanted.thoughts}
            choices={CHOICES.thoughts.map((each) => [each, t.settings.thoughts[each]])}
            onChange={(thoughts) => onWrite({ ...written, thoughts })}
          />
        )}
        <Choice
          name="precision"
          value={wanted.precision}
          choices={CHOICES.precision.map((each) => [each, asCode(each, t)])}
          onChange={(precision) => onWrite({ ...written, precision })}
        />
        <Choice
          name="device"
          value={wanted.device}
          choices={CHOICES.device.map((each) => [each, asCode(each, t)])}
          onChange={(device) => onWrite({ ...written, device })}
        />
      </div>
      {changed === 0 && wrong.length === 0 ? null : (
        <Button size="small" tone="quiet" onClick={() => onWrite({})}>
          {t.settings.reset}
        </Button>
      )}
    </details>
  );
}

/** The settings that a training was prepared with. */
export function SettingsRead({ defaults, settings }: { defaults: Settings; settings: Settings }) {
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
