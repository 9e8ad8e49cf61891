"use client";
import { useId, type ReactNode } from "react";
import { useSettingsText } from "@/lib/i18n/settings";
import { Field } from "@/ui/field";

/** Where something runs: a file of this machine, or an address with a key and a name. */
export interface Whereabouts {
  readonly path: string;
  readonly url: string;
  readonly key: string;
  readonly model: string;
}
export const NOWHERE: Whereabouts = { path: "", url: "", key: "", model: "" };

/** Whether an address points at this machine. */
export function isHere(url: string): boolean {
  try {
    const { hostname } = new URL(url);
    return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  } catch {
    return true;
  }
}

export const isIncomplete = (kind: string, where: Whereabouts): boolean =>
  (kind === "file" && where.path.trim() === "") || (kind === "endpoint" && where.url.trim() === "");

/** What is sent of a path or an address: what was left empty is left out. */
export const fileOf = (where: Whereabouts) => ({ path: where.path.trim() });
export const endpointOf = (where: Whereabouts) => ({
  url: where.url.trim(),
  ...(where.key === "" ? {} : { key: where.key }),
  ...(where.model.trim() === "" ? {} : { model: where.model.trim() }),
});

interface Row<K extends string> {
  readonly kind: K;
  readonly name: string;
  readonly detail?: string;
}

interface ChooserProps<K extends string> {
  legend: string;
  rows: readonly Row<K>[];
  chosen: K;
  /** The kind in use now. */
  active: string | undefined;
  where: Whereabouts;
  /** Files that one may mean. */
  files: readonly string[];
  onChoose: (kind: K) => void;
  onWhere: (where: Whereabouts) => void;
  /** Under the fields of an address. */
  outward?: ReactNode;
}

/** One of a few things that can do the work; a file and an address have fields of their own. */
export function Chooser<K extends string>({
  legend,
  rows,
  chosen,
  active,
  where,
  files,
  onChoose,
  onWhere,
  outward,
}: ChooserProps<K>) {
  const words = useSettingsText();
  const id = useId();
  const change = (what: Partial<Whereabouts>): void => onWhere({ ...where, ...what });
  return (
    <fieldset className="choices">
      <legend className="sr">{legend}</legend>
      {rows.map(({ kind, name, detail }) => (
        <div key={kind} className={chosen === kind ? "choice on" : "choice"}>
          <label>
            <input
              type="radio"
              name={id}
              checked={chosen === kind}
              onChange={() => onChoose(kind)}
            />
            <span>{name}</span>
            {active === kind ? <span className="now">{words.settings.modelNow}</span> : <span />}
            {detail ? <span className="tiny faint">{detail}</span> : null}
          </label>
          {chosen === kind && kind === "file" ? (
            <div className="inner">
              <Field
                label={words.settings.filePath}
                voice="mono"
                placeholder={words.settings.filePlaceholder}
                value={where.path}
                list={`${id}-files`}
                onChange={(event) => change({ path: event.target.value })}
              />
              <datalist id={`${id}-files`}>
                {files.map((file) => (
                  <option key={file} value={file} />
                ))}
              </datalist>
            </div>
          ) : null}
          {chosen === kind && kind === "endpoint" ? (
            <div className="inner">
              <Field
                label={words.settings.endpointUrl}
                voice="mono"
                type="url"
                placeholder={words.settings.endpointPlaceholder}
                value={where.url}
                onChange={(event) => change({ url: event.target.value })}
              />
              <Field
                label={words.settings.endpointKey}
                hint={words.settings.endpointKeyKept}
                voice="mono"
                type="password"
                autoComplete="off"
                value={where.key}
                onChange={(event) => change({ key: event.target.value })}
              />
              <Field
                label={words.settings.endpointModel}
                voice="mono"
                value={where.model}
                onChange={(event) => change({ model: event.target.value })}
              />
              {outward}
            </div>
          ) : null}
        </div>
      ))}
    </fieldset>
  );
}
