/**
 * A grant while it is written: what the template begins with, what is changed, and what is sent.
 */
import type { Grant, GrantTemplate, GrantWish } from "@/lib/api/types";
import { later } from "@/lib/days";

export type Kind = Grant["kinds"][number];
export type Layer = Grant["layers"][number];

export const VERBS: readonly Grant["verbs"][number][] = ["ask", "recall", "fetch"];
export const FORMS: readonly Grant["form"][] = ["answer", "summary", "excerpt", "verbatim"];
const STATEMENTS: readonly Kind[] = ["world", "experience", "opinion", "observation"];
export const KINDS: readonly Kind[] = ["passage", ...STATEMENTS];

export interface Draft {
  readonly template: GrantTemplate["name"];
  readonly verbs: readonly Grant["verbs"][number][];
  readonly tags: readonly string[];
  readonly kinds: readonly Kind[];
  /** Days, or empty. */
  readonly since: string;
  readonly until: string;
  readonly form: Grant["form"];
  readonly calls: number;
  readonly tokens: number;
  readonly kilobytes: number;
  /** The last day on which it holds. */
  readonly end: string;
  readonly consent: Grant["consent"];
  readonly purpose: string;
  readonly words: string;
  /** Ids of what looks like a secret and is included all the same. */
  readonly allow: readonly string[];
}

export const kindsOf = (layers: readonly Layer[]): readonly Kind[] =>
  KINDS.filter((kind) => layers.includes(kind === "passage" ? "L0" : "L1"));
/** Where rows of these kinds come from. */
export const layersOf = (kinds: readonly Kind[]): readonly Layer[] => [
  ...(kinds.includes("passage") ? (["L0"] as const) : []),
  ...(kinds.some((kind) => kind !== "passage") ? (["L1"] as const) : []),
];

/**
 * A grant as the template has it, with what the person said before about anything that no template
 * speaks of.
 */
export const draftOf = (template: GrantTemplate, day: string, before?: Draft): Draft => ({
  template: template.name,
  verbs: template.verbs,
  tags: before?.tags ?? [],
  kinds: kindsOf(template.layers),
  since: before?.since ?? "",
  until: before?.until ?? "",
  form: template.form,
  calls: template.daily.calls,
  tokens: template.daily.tokens,
  kilobytes: Math.round(template.daily.bytes / 1000),
  end: later(day, template.days),
  consent: template.consent,
  purpose: before?.purpose ?? "",
  words: before?.words ?? "",
  allow: before?.allow ?? [],
});

export type Missing = "tags" | "verbs" | "kinds" | "time" | "end";
const FIRST_DAY = "1970-01-02";

/**
 * What has to be chosen before there is anything to count or to give. An empty choice never means
 * everything.
 */
export function missingOf(draft: Draft, tagged: boolean, day: string): Missing | null {
  if (draft.verbs.length === 0) return "verbs";
  if (tagged && draft.tags.length === 0) return "tags";
  if (draft.kinds.length === 0) return "kinds";
  if (
    [draft.since, draft.until].some((each) => each !== "" && each < FIRST_DAY) ||
    (draft.since !== "" && draft.until !== "" && draft.since >= draft.until)
  )
    return "time";
  return draft.end < day ? "end" : null;
}

const moment = (day: string, time: string): string => new Date(`${day}T${time}`).toISOString();

/** What is asked of the node: the same for the preview and for the grant itself. */
export const wishOf = (draft: Draft): GrantWish => ({
  template: draft.template,
  verbs: [...draft.verbs],
  layers: [...layersOf(draft.kinds)],
  tags: [...draft.tags],
  kinds: [...draft.kinds],
  ...(draft.since === "" ? {} : { since: moment(draft.since, "00:00:00") }),
  ...(draft.until === "" ? {} : { until: moment(draft.until, "00:00:00") }),
  form: draft.form,
  calls_per_day: draft.calls,
  tokens_per_day: draft.tokens,
  bytes_per_day: draft.kilobytes * 1000,
  consent: draft.consent,
  expires_at: moment(draft.end, "23:59:59"),
  purpose: draft.purpose,
  words: draft.words,
  allow: [...draft.allow],
});

/** What decides what it covers: a preview is not asked for again when the rest changes. */
export const scopeOf = ({
  template,
  layers,
  tags,
  kinds,
  since,
  until,
  allow,
}: GrantWish): GrantWish => ({
  ...(template ? { template } : {}),
  ...(layers ? { layers } : {}),
  ...(tags ? { tags } : {}),
  ...(kinds ? { kinds } : {}),
  ...(since ? { since } : {}),
  ...(until ? { until } : {}),
  ...(allow && allow.length > 0 ? { allow } : {}),
});

/**
 * What a grant says, whether it is being written, or was given. Moments as the node writes them.
 */
export interface Said {
  readonly verbs: Draft["verbs"];
  readonly tags: readonly string[];
  readonly kinds: readonly Kind[];
  readonly layers: readonly Layer[];
  readonly since: string | null;
  readonly until: string | null;
  readonly form: Grant["form"];
  readonly calls: number;
  readonly end: string;
  readonly consent: Grant["consent"];
}

export const saidIn = (draft: Draft): Said => ({
  ...draft,
  layers: layersOf(draft.kinds),
  since: draft.since || null,
  until: draft.until || null,
});
export const saidBy = (grant: Grant): Said => ({
  ...grant,
  calls: grant.daily.calls,
  end: grant.expires_at,
  kinds: grant.kinds.filter((kind) => kindsOf(grant.layers).includes(kind)),
});

export type Part = { readonly words: string } | { readonly name: string };

/** Take a sentence apart at its choices: `{who} may {verbs}`. */
export const partsOf = (sentence: string): readonly Part[] =>
  sentence
    .split(/(\{\w+\})/u)
    .filter((part) => part !== "")
    .map((part) => (part.startsWith("{") ? { name: part.slice(1, -1) } : { words: part }));
