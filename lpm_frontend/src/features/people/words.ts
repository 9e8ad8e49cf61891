/** A grant in words, the same while it is written and when it stands. */
import { formatDate, listed, type Language } from "@/lib/i18n";
import type { PeopleText } from "@/lib/i18n/people";
import { kindsOf, type Said } from "./draft";

export type Token =
  "who" | "verbs" | "tags" | "kinds" | "time" | "form" | "daily" | "end" | "consent";

function kindWords({ kinds, layers }: Said, t: PeopleText, language: Language): string {
  const whole = kindsOf(layers).every((kind) => kinds.includes(kind));
  if (whole)
    return layers.includes("L0")
      ? layers.includes("L1")
        ? t.give.all
        : t.give.allPassages
      : t.give.allStatements;
  return t.give.from(
    listed(
      kinds.map((kind) => t.give.kinds[kind]),
      language,
    ),
  );
}

function timeWords({ since, until }: Said, t: PeopleText, language: Language): string {
  const [from, to] = [since, until].map((day) =>
    day === null ? "" : formatDate(day, language),
  ) as [string, string];
  if (since !== null && until !== null) return t.give.between(from, to);
  return since !== null ? t.give.since(from) : until !== null ? t.give.before(to) : t.give.anyTime;
}

/** What stands in each place of the sentence. */
export const wordsOf = (
  said: Said,
  name: string,
  needsTags: boolean,
  t: PeopleText,
  language: Language,
): Readonly<Record<Token, string>> => ({
  who: name,
  verbs: said.verbs
    .map((verb) => t.give.verbs[verb])
    .join(language === "ja" ? t.give.and : ` ${t.give.and} `),
  tags:
    said.tags.length > 0
      ? listed(said.tags, language)
      : needsTags
        ? t.give.noTags
        : t.give.everything,
  kinds: kindWords(said, t, language),
  time: timeWords(said, t, language),
  form: t.give.form[said.form],
  daily: t.give.daily(said.calls),
  end: formatDate(said.end, language),
  consent: t.give.consent[said.consent],
});
