"use client";
import { useCounts } from "@/lib/api/library";
import { useLanguage } from "@/lib/i18n";
import { Check } from "@/ui/field";

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
  const language = useLanguage();
  const counts = useCounts({}).data?.tags ?? {};
  const known = Object.entries(counts).toSorted(([a, m], [b, n]) => n - m || a.localeCompare(b));
  return (
    <fieldset className="new-seats">
      <legend className="label">{label}</legend>
      {known.length === 0 ? <p className="tiny faint">{empty}</p> : null}
      {known.map(([tag, count]) => (
        <Check
          key={tag}
          label={`${tag} (${count.toLocaleString(language)})`}
          checked={chosen.includes(tag)}
          onChange={(on) => onChange(on ? [...chosen, tag] : chosen.filter((each) => each !== tag))}
        />
      ))}
      {wrong === "" ? null : (
        <p className="tiny wrong" role="alert">
          {wrong}
        </p>
      )}
    </fieldset>
  );
}
