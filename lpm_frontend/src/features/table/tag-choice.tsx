"use client";
import { useCounts } from "@/lib/api/library";
import { Options } from "@/ui/choose";

/** What may be used at a table: tags of the library, the most used first. */
export function TagChoice({
  label,
  empty,
  chosen,
  onChange,
  wrong,
}: {
  label: string;
  empty: string;
  chosen: readonly string[];
  onChange: (tags: readonly string[]) => void;
  /** What is missing; nothing where nothing is. */
  wrong: string;
}) {
  const counts = useCounts({}).data?.tags ?? {};
  const known = Object.entries(counts).toSorted(([a, m], [b, n]) => n - m || a.localeCompare(b));
  return (
    <fieldset className="new-seats">
      <legend className="label">{label}</legend>
      <Options
        empty={empty}
        options={known.map(([value, count]) => ({ value, words: value, count }))}
        chosen={chosen}
        onChange={onChange}
      />
      {wrong === "" ? null : (
        <p className="tiny wrong" role="alert">
          {wrong}
        </p>
      )}
    </fieldset>
  );
}
