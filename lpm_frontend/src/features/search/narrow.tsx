"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useCounts } from "@/lib/api/library";
import { namesQuery } from "@/lib/api/recall";
import { treeOf } from "@/lib/folders";
import { formatDate, useLanguage, useText, type Language, type Text } from "@/lib/i18n";
import { Button } from "@/ui/button";
import type { Chip } from "@/ui/chips";
import { Choose, Options } from "@/ui/choose";
import { Field } from "@/ui/field";
import { SAID, type SearchWish } from "./wish";

const PRESETS = { month: ["30d", ""], year: ["1y", ""], before: ["", "1y"] } as const;
type Preset = keyof typeof PRESETS;

const presetOf = ({ since, until }: SearchWish): Preset | undefined =>
  (Object.keys(PRESETS) as Preset[]).find(
    (name) =>
      (since !== "" || until !== "") && PRESETS[name][0] === since && PRESETS[name][1] === until,
  );

/** The time that is asked for, in words; empty for any. */
export function timeWords(wish: SearchWish, text: Text, language: Language): string {
  const preset = presetOf(wish);
  if (preset) return text.seek.presets[preset];
  const day = (value: string): string => formatDate(value, language) || value;
  return [
    wish.since === "" ? "" : `${text.search.since} ${day(wish.since)}`,
    wish.until === "" ? "" : `${text.search.until} ${day(wish.until)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** What a search is narrowed to: time, kind, what was said, tag, who or what is named, folder. */
export function Narrow({
  wish,
  onChange,
}: {
  wish: SearchWish;
  onChange: (change: Partial<SearchWish>) => void;
}) {
  const text = useText();
  const language = useLanguage();
  const [name, setName] = useState("");
  const [asking, setAsking] = useState(false);
  const counts = useCounts({}).data;
  const names = useQuery({ ...namesQuery(name.trim()), enabled: asking }).data?.items ?? [];
  const kinds: Readonly<Record<string, string>> = text.library.kinds;
  const most = (known: Readonly<Record<string, number>> | undefined) =>
    Object.entries(known ?? {}).toSorted(([, m], [, n]) => n - m);
  const chosenNames = wish.entities
    .filter((each) => !names.some((one) => one.name === each))
    .map((each) => ({ value: each, words: each }));
  return (
    <div className="search-narrow" role="group" aria-label={text.shelves.filters}>
      <Choose label={text.seek.time} chosen={timeWords(wish, text, language)}>
        <Options
          single
          empty=""
          options={(Object.keys(PRESETS) as Preset[]).map((value) => ({
            value,
            words: text.seek.presets[value],
          }))}
          chosen={presetOf(wish) ? [presetOf(wish) ?? ""] : []}
          onChange={([preset]) =>
            onChange(
              preset
                ? { since: PRESETS[preset as Preset][0], until: PRESETS[preset as Preset][1] }
                : { since: "", until: "" },
            )
          }
        />
        <div className="choose-dates">
          <Field
            label={text.search.since}
            type="date"
            value={wish.since.includes("-") ? wish.since : ""}
            max={wish.until || undefined}
            onChange={(event) => onChange({ since: event.target.value })}
          />
          <Field
            label={text.search.until}
            type="date"
            value={wish.until.includes("-") ? wish.until : ""}
            min={wish.since.includes("-") ? wish.since : undefined}
            onChange={(event) => onChange({ until: event.target.value })}
          />
        </div>
      </Choose>
      <Choose
        label={text.seek.kind}
        chosen={wish.kinds.map((kind) => kinds[kind] ?? kind).join(", ")}
      >
        <Options
          empty={text.shelves.nothingToChoose}
          options={most(counts?.kinds).map(([value, count]) => ({
            value,
            words: kinds[value] ?? value,
            count,
          }))}
          chosen={wish.kinds}
          onChange={(chosen) => onChange({ kinds: chosen as SearchWish["kinds"] })}
        />
      </Choose>
      <Choose
        label={text.seek.said}
        chosen={wish.said.map((kind) => text.statements.names[kind]).join(", ")}
      >
        <Options
          empty=""
          options={SAID.map((value) => ({ value, words: text.statements.names[value] }))}
          chosen={wish.said}
          onChange={(chosen) => onChange({ said: SAID.filter((kind) => chosen.includes(kind)) })}
        />
      </Choose>
      <Choose
        label={text.seek.person}
        chosen={wish.entities.join(", ")}
        onOpen={() => setAsking(true)}
      >
        <div className="choose-form">
          <Field
            label={text.seek.personFind}
            className="quiet-label"
            placeholder={text.seek.personFind}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <Options
          empty={text.shelves.nothingToChoose}
          options={[
            ...chosenNames,
            ...names.map((each) => ({ value: each.name, words: each.name, count: each.passages })),
          ]}
          chosen={wish.entities}
          onChange={(entities) => onChange({ entities })}
        />
      </Choose>
      {most(counts?.tags).length > 0 || wish.tags.length > 0 ? (
        <Choose label={text.seek.tag} chosen={wish.tags.join(", ")}>
          <Options
            empty={text.shelves.nothingToChoose}
            options={most(counts?.tags).map(([value, count]) => ({ value, words: value, count }))}
            chosen={wish.tags}
            onChange={(tags) => onChange({ tags })}
          />
        </Choose>
      ) : null}
      {treeOf(counts?.folders ?? {}).length > 0 || wish.folder !== "" ? (
        <Choose label={text.seek.folder} chosen={wish.folder}>
          <Options
            single
            empty={text.shelves.nothingToChoose}
            options={treeOf(counts?.folders ?? {}).map(({ path, name: words, depth, count }) => ({
              value: path,
              words,
              depth,
              count,
            }))}
            chosen={wish.folder === "" ? [] : [wish.folder]}
            onChange={([folder = ""]) => onChange({ folder })}
          />
        </Choose>
      ) : null}
    </div>
  );
}

/** What narrows the search, each to be taken away by itself. */
export function useNarrowings(
  wish: SearchWish,
  onChange: (change: Partial<SearchWish>) => void,
): readonly Chip[] {
  const text = useText();
  const language = useLanguage();
  const kinds: Readonly<Record<string, string>> = text.library.kinds;
  const chip = (key: string, words: string, change: Partial<SearchWish>): Chip => ({
    key,
    words,
    remove: text.shelves.remove(words),
    onRemove: () => onChange(change),
  });
  const time = timeWords(wish, text, language);
  return [
    ...(time === "" ? [] : [chip("time", time, { since: "", until: "" })]),
    ...wish.kinds.map((each) =>
      chip(`kind ${each}`, kinds[each] ?? each, {
        kinds: wish.kinds.filter((one) => one !== each),
      }),
    ),
    ...wish.said.map((each) =>
      chip(`said ${each}`, text.statements.names[each], {
        said: wish.said.filter((one) => one !== each),
      }),
    ),
    ...wish.entities.map((each) =>
      chip(`who ${each}`, each, { entities: wish.entities.filter((one) => one !== each) }),
    ),
    ...wish.tags.map((each) =>
      chip(`tag ${each}`, each, { tags: wish.tags.filter((one) => one !== each) }),
    ),
    ...(wish.folder === "" ? [] : [chip("folder", wish.folder, { folder: "" })]),
  ];
}

/** Ways to loosen a search that found nothing. */
export function Loosen({ chips }: { chips: readonly Chip[] }) {
  const text = useText();
  if (chips.length === 0) return null;
  return (
    <div className="row wrap">
      <span className="small mute">{text.seek.loosen}</span>
      {chips.map((chip) => (
        <Button key={chip.key} size="small" onClick={chip.onRemove}>
          {text.seek.without(chip.words)}
        </Button>
      ))}
    </div>
  );
}
