"use client";
import { LayoutGrid, Rows3, Trash2 } from "lucide-react";
import { useCounts, type Filter } from "@/lib/api/library";
import { useStatus } from "@/lib/api/status";
import type { Counts } from "@/lib/api/types";
import { treeOf } from "@/lib/folders";
import { formatDate, useLanguage, useText, type Text } from "@/lib/i18n";
import { Button, IconButton } from "@/ui/button";
import { Chips, type Chip } from "@/ui/chips";
import { Choose, Options } from "@/ui/choose";
import { Field } from "@/ui/field";

export const NO_FOLDER = "/";
const NOTHING: Counts = {
  total: 0,
  bytes: 0,
  private: 0,
  kinds: {},
  states: {},
  tags: {},
  folders: {},
};
const SPANS = { d30: "30d", y1: "1y", y5: "5y" } as const;

interface FiltersProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
  grid: boolean;
  onGrid: (grid: boolean) => void;
}

const folderWord = (folder: string, text: Text): string =>
  folder === NO_FOLDER ? text.shelves.noFolder : folder;
const byCount = (
  counts: Readonly<Record<string, number>>,
): readonly (readonly [string, number])[] =>
  Object.entries(counts).toSorted(([a, m], [b, n]) => n - m || a.localeCompare(b));

/**
 * What narrows the list down: choices with how many each would leave, and what is chosen as chips.
 */
export function Filters({ filter, onChange, grid, onGrid }: FiltersProps) {
  const text = useText();
  const counts = useCounts(filter).data ?? NOTHING;
  const pages = useStatus().data?.pages ?? 0;
  const set = (change: Partial<Filter>): void => onChange({ ...filter, ...change });
  const kinds: Readonly<Record<string, string>> = text.library.kinds;
  const states: Readonly<Record<string, string>> = text.library.states;
  const loose = counts.folders[""] ?? 0;
  return (
    <div className="lib-filters" role="group" aria-label={text.shelves.filters}>
      <Choose
        label={text.shelves.kind}
        chosen={(filter.kind ?? []).map((kind) => kinds[kind] ?? kind).join(", ")}
      >
        <Options
          empty={text.shelves.nothingToChoose}
          options={byCount(counts.kinds).map(([value, count]) => ({
            value,
            words: kinds[value] ?? value,
            count,
          }))}
          chosen={filter.kind ?? []}
          onChange={(kind) => set({ kind: kind as NonNullable<Filter["kind"]> })}
        />
      </Choose>
      <Choose
        label={text.shelves.state}
        chosen={(filter.state ?? []).map((state) => states[state] ?? state).join(", ")}
      >
        <Options
          empty={text.shelves.nothingToChoose}
          options={byCount(counts.states).map(([value, count]) => ({
            value,
            words: states[value] ?? value,
            count,
          }))}
          chosen={filter.state ?? []}
          onChange={(state) => set({ state: state as NonNullable<Filter["state"]> })}
        />
      </Choose>
      <Choose label={text.shelves.tag} chosen={(filter.tag ?? []).join(", ")}>
        <Options
          empty={text.shelves.nothingToChoose}
          options={byCount({
            ...Object.fromEntries((filter.tag ?? []).map((tag) => [tag, 0])),
            ...counts.tags,
          }).map(([value, count]) => ({ value, words: value, count }))}
          chosen={filter.tag ?? []}
          onChange={(tag) => set({ tag: [...tag] })}
        />
      </Choose>
      <Choose
        label={text.shelves.folder}
        chosen={filter.folder ? folderWord(filter.folder, text) : ""}
      >
        <Options
          single
          empty={text.shelves.nothingToChoose}
          options={[
            ...treeOf(counts.folders).map(({ path, name, depth, count }) => ({
              value: path,
              words: name,
              depth,
              count,
            })),
            ...(loose > 0
              ? [{ value: NO_FOLDER, words: text.shelves.noFolder, count: loose }]
              : []),
          ]}
          chosen={filter.folder ? [filter.folder] : []}
          onChange={([folder = ""]) => set({ folder })}
        />
      </Choose>
      <Choose label={text.shelves.date} chosen={dateWord(filter, text, useLanguage())}>
        <Options
          single
          empty=""
          options={Object.entries(SPANS).map(([name, value]) => ({
            value,
            words: text.shelves.spans[name as keyof typeof SPANS],
          }))}
          chosen={filter.since && !filter.until ? [filter.since] : []}
          onChange={([since = ""]) => set({ since, until: "" })}
        />
        <div className="choose-dates">
          <Field
            label={text.shelves.since}
            type="date"
            value={filter.since?.includes("-") ? filter.since : ""}
            onChange={(event) => set({ since: event.target.value })}
          />
          <Field
            label={text.shelves.until}
            type="date"
            value={filter.until ?? ""}
            onChange={(event) => set({ until: event.target.value })}
          />
        </div>
      </Choose>
      {counts.private > 0 || filter.private ? (
        <button
          type="button"
          className={filter.private ? "choose-button on" : "choose-button"}
          aria-pressed={filter.private === true}
          onClick={() => onChange(withoutPrivate(filter, !filter.private))}
        >
          <span>{text.shelves.privateOnly}</span>
          <span className="num faint">{counts.private.toLocaleString()}</span>
        </button>
      ) : null}
      {pages > 0 || filter.made_by ? (
        <button
          type="button"
          className={filter.made_by ? "choose-button on" : "choose-button"}
          aria-pressed={filter.made_by === "node"}
          onClick={() => onChange(withPages(filter, !filter.made_by))}
        >
          <span>{text.shelves.pages}</span>
          <span className="num faint">{pages.toLocaleString()}</span>
        </button>
      ) : null}
      <span className="lib-filters-end">
        <IconButton
          icon={Trash2}
          label={text.shelves.deleted}
          worded="wide"
          className={filter.deleted ? "on" : undefined}
          aria-pressed={filter.deleted === true}
          onClick={() => onChange({ deleted: !filter.deleted })}
        />
        <IconButton
          icon={grid ? Rows3 : LayoutGrid}
          label={grid ? text.shelves.table : text.shelves.grid}
          onClick={() => onGrid(!grid)}
        />
      </span>
    </div>
  );
}

const withoutPrivate = (filter: Filter, on: boolean): Filter =>
  on
    ? { ...filter, private: true }
    : Object.fromEntries(Object.entries(filter).filter(([name]) => name !== "private"));

const withPages = (filter: Filter, on: boolean): Filter =>
  on
    ? { ...filter, made_by: "node" }
    : Object.fromEntries(Object.entries(filter).filter(([name]) => name !== "made_by"));

function dateWord({ since, until }: Filter, text: Text, language: "en" | "ja"): string {
  const preset = Object.entries(SPANS).find(([, value]) => value === since)?.[0];
  if (preset && !until) return text.shelves.spans[preset as keyof typeof SPANS];
  return [
    since ? `${text.shelves.since} ${formatDate(since, language)}` : "",
    until ? `${text.shelves.until} ${formatDate(until, language)}` : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** What is chosen, each to be taken away by itself. */
export function FilterChips({
  filter,
  onChange,
}: {
  filter: Filter;
  onChange: (filter: Filter) => void;
}) {
  const text = useText();
  const language = useLanguage();
  const kinds: Readonly<Record<string, string>> = text.library.kinds;
  const states: Readonly<Record<string, string>> = text.library.states;
  const chip = (key: string, words: string, change: Partial<Filter>): Chip => ({
    key,
    words,
    remove: text.shelves.remove(words),
    onRemove: () => onChange({ ...filter, ...change }),
  });
  const date = dateWord(filter, text, language);
  const chips: readonly Chip[] = [
    ...(filter.kind ?? []).map((each) =>
      chip(`kind ${each}`, kinds[each] ?? each, {
        kind: (filter.kind ?? []).filter((one) => one !== each),
      }),
    ),
    ...(filter.state ?? []).map((each) =>
      chip(`state ${each}`, states[each] ?? each, {
        state: (filter.state ?? []).filter((one) => one !== each),
      }),
    ),
    ...(filter.tag ?? []).map((each) =>
      chip(`tag ${each}`, each, { tag: (filter.tag ?? []).filter((one) => one !== each) }),
    ),
    ...(filter.folder ? [chip("folder", folderWord(filter.folder, text), { folder: "" })] : []),
    ...(date === "" ? [] : [chip("date", date, { since: "", until: "" })]),
    ...(filter.made_by
      ? [
          {
            ...chip("pages", text.shelves.pages, {}),
            onRemove: () => onChange(withPages(filter, false)),
          },
        ]
      : []),
    ...(filter.private
      ? [
          {
            ...chip("private", text.shelves.privateOnly, {}),
            onRemove: () => onChange(withoutPrivate(filter, false)),
          },
        ]
      : []),
  ];
  if (chips.length === 0) return null;
  return (
    <div className="lib-chips">
      <Chips chips={chips} />
      <Button
        size="small"
        tone="quiet"
        onClick={() => onChange(filter.deleted ? { deleted: true } : {})}
      >
        {text.shelves.clear}
      </Button>
    </div>
  );
}
