"use client";
import { useWordsLeaving } from "@/lib/api/training";
import type { Training, TrainingWish, WordsLeaving } from "@/lib/api/types";
import { useLanguage } from "@/lib/i18n";
import { useSettingsText } from "@/lib/i18n/settings";
import { useTrainingText, type TrainingText } from "@/lib/i18n/training";
import { Button } from "@/ui/button";
import { Check, Field } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import type { Settings } from "./wish";

/** An endpoint that words questions, as it is written down, and the yes to what it is sent. */
export interface WordsPlace {
  readonly url: string;
  readonly model: string;
  readonly key: string;
  readonly yes: boolean;
  /** What would leave, and for which wish that was counted. */
  readonly seen: { readonly of: string; readonly leaving: WordsLeaving } | null;
}
export const NO_PLACE: WordsPlace = { url: "", model: "", key: "", yes: false, seen: null };

/** The endpoint that worded the questions of an earlier training; what is sent is asked anew. */
export const placeIn = ({ words_at: url, words_model: model }: Settings): WordsPlace => ({
  ...NO_PLACE,
  url: typeof url === "string" ? url : "",
  model: typeof model === "string" ? model : "",
});

/** What else decides how many sentences there are. */
export type WordsScope = Pick<
  TrainingWish,
  "private" | "documents" | "recent_days" | "older" | "seed"
>;

const asked = (place: WordsPlace, scope: WordsScope) => ({
  words_at: place.url.trim(),
  private: scope.private ?? false,
  documents: scope.documents ?? ("none" as const),
  ...(scope.recent_days == null ? {} : { recent_days: scope.recent_days }),
  ...(scope.older == null ? {} : { older: scope.older }),
  ...(scope.seed == null ? {} : { seed: scope.seed }),
});

/** What was seen, where nothing that decides about it was changed since. */
export const seenNow = (place: WordsPlace, scope: WordsScope): WordsLeaving | null =>
  place.seen?.of === JSON.stringify(asked(place, scope)) ? place.seen.leaving : null;

/** Whether a training may be prepared with it: what leaves was shown, and was agreed to. */
export function isAgreed(place: WordsPlace, scope: WordsScope): boolean {
  const seen = seenNow(place, scope);
  return seen !== null && (seen.here || seen.sentences === 0 || place.yes);
}

/** The endpoint as the node takes it. */
export const wordsWish = (place: WordsPlace): TrainingWish => ({
  wording: "endpoint",
  words_at: place.url.trim(),
  ...(place.model.trim() === "" ? {} : { words_model: place.model.trim() }),
  ...(place.key === "" ? {} : { words_key: place.key }),
  consent: place.yes,
});

/** Where it is, what would leave for it, and the yes to that. */
export function WordsElsewhere({
  place,
  scope,
  onChange,
}: {
  place: WordsPlace;
  scope: WordsScope;
  onChange: (place: WordsPlace) => void;
}) {
  const t = useTrainingText();
  const settings = useSettingsText();
  const look = useWordsLeaving();
  const seen = seenNow(place, scope);
  const change = (what: Partial<WordsPlace>): void => onChange({ ...place, yes: false, ...what });
  const wish = asked(place, scope);
  return (
    <section className="words-elsewhere" aria-label={t.words.title}>
      <h3 className="label">{t.words.title}</h3>
      <Field
        label={t.words.url}
        voice="mono"
        type="url"
        placeholder={settings.settings.endpointPlaceholder}
        value={place.url}
        onChange={(event) => change({ url: event.target.value })}
      />
      <Field
        label={t.words.key}
        hint={t.words.keyHint}
        voice="mono"
        type="password"
        autoComplete="off"
        value={place.key}
        onChange={(event) => onChange({ ...place, key: event.target.value })}
      />
      <Field
        label={t.words.model}
        voice="mono"
        value={place.model}
        onChange={(event) => onChange({ ...place, model: event.target.value })}
      />
      <div>
        <Button
          size="small"
          disabled={wish.words_at === "" || look.isPending}
          onClick={() =>
            look.mutate(wish, {
              onSuccess: (leaving) => change({ seen: { of: JSON.stringify(wish), leaving } }),
            })
          }
        >
          {look.isPending ? t.words.looking : t.words.look}
        </Button>
      </div>
      {look.isError ? <Trouble error={look.error} /> : null}
      <div aria-live="polite">
        {seen === null ? null : (
          <p className={seen.here ? "small num" : "training-notice num"}>
            {(seen.here ? t.words.stays : t.words.sends)(seen.sentences, seen.host)}
            {seen.kept_here > 0 ? ` ${t.words.kept(seen.kept_here)}` : ""}
            {seen.here || seen.encrypted ? "" : ` ${t.words.clear}`}
          </p>
        )}
      </div>
      {seen === null || seen.here || seen.sentences === 0 ? null : (
        <Check
          label={t.words.yes(seen.host)}
          checked={place.yes}
          onChange={(yes) => onChange({ ...place, yes })}
        />
      )}
    </section>
  );
}

/** What was sent for a training, in words; `null` where nothing was. */
export const sentBy = ({ worded, thought }: Training, t: TrainingText): string | null => {
  const sent = [
    worded === null || worded.here || worded.sent === 0
      ? null
      : t.words.sent(worded.sent, worded.host),
    thought === null || thought.here || thought.sent === 0
      ? null
      : t.words.sentRows(thought.sent, thought.host),
  ].filter((each) => each !== null);
  const [one = null, other] = sent;
  return one !== null && other !== undefined ? t.words.both(one, other) : one;
};

/** What came of having a model word what is thought before answers. */
export function ThoughtBy({ run }: { run: Training }) {
  const t = useTrainingText();
  const language = useLanguage();
  const { thought } = run;
  if (thought === null) return null;
  const who = thought.host === "" ? t.words.thinker : thought.host;
  return (
    <p className="small mute num">
      {thought.thought < thought.rows
        ? t.words.thought(thought.thought, thought.rows, who)
        : t.words.thoughtAll(thought.rows, who)}
      {thought.problem === ""
        ? ""
        : ` ${language === "en" ? `${t.words.gaveUp} ${thought.problem}` : t.words.gaveUpShort}`}
    </p>
  );
}

/** What came of it. */
export function WordedBy({ run }: { run: Training }) {
  const t = useTrainingText();
  const language = useLanguage();
  const { worded } = run;
  if (worded === null) return null;
  return (
    <p className="small mute num">
      {worded.worded < worded.statements
        ? t.words.worded(worded.worded, worded.statements, worded.host)
        : t.words.wordedAll(worded.statements, worded.host)}
      {worded.problem === ""
        ? ""
        : ` ${language === "en" ? `${t.words.gaveUp} ${worded.problem}` : t.words.gaveUpShort}`}
    </p>
  );
}
