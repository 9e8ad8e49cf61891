"use client";
import { useAudit } from "@/lib/api/home";
import { useWhenWorkEnds } from "@/lib/api/jobs";
import { useStatus } from "@/lib/api/status";
import { formatBytes, formatDate, useLanguage, useText, type Text } from "@/lib/i18n";
import { useSettingsText } from "@/lib/i18n/settings";
import { factSentence } from "@/lib/said";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { Section } from "./section";

/** What happened to the home, and whether the chain of it holds. */
export function Activity() {
  const text = useText();
  const words = useSettingsText();
  const language = useLanguage();
  const query = useAudit();
  useWhenWorkEnds(query.refetch);
  const left = useStatus().data?.left;
  const pages = query.data?.pages ?? [];
  const entries = pages.flatMap((page) => page.items);
  const [first] = pages;
  return (
    <Section id="activity" title={words.activity.title} lead={words.activity.lead}>
      {left ? (
        <p className={left.bytes === 0 ? "verdict" : "verdict away"}>
          {left.bytes === 0
            ? text.frame.sealTitle
            : text.frame.left(formatBytes(left.bytes, language))}
        </p>
      ) : null}
      {query.isPending ? <Loading words={words.settings.loading} /> : null}
      {query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : null}
      {first?.broken ? (
        <p className="verdict no">{words.activity.broken(first.broken.number)}</p>
      ) : first?.verified ? (
        <p className="verdict">{words.activity.holds}</p>
      ) : null}
      {first && entries.length === 0 ? <p className="small faint">{words.activity.none}</p> : null}
      {entries.length > 0 ? (
        <ul className="keylist">
          {entries.map((entry) => (
            <li key={entry.number}>
              <span className="faint num">{entry.number}</span>
              <b>{words.activity.kinds[entry.kind] ?? entry.kind}</b>
              <span className="faint">{factsOf(entry.facts, text)}</span>
              <time className="faint num push" dateTime={entry.at}>
                {formatDate(entry.at, language)}
              </time>
            </li>
          ))}
        </ul>
      ) : null}
      {query.hasNextPage ? (
        <div>
          <Button
            size="small"
            tone="quiet"
            disabled={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {words.activity.more}
          </Button>
        </div>
      ) : null}
    </Section>
  );
}

/** The facts of an entry, each named. */
const factsOf = (facts: Readonly<Record<string, unknown>>, text: Text): string =>
  Object.entries(facts)
    .filter(([, value]) => value !== 0 && value !== "" && value !== null && value !== false)
    .map(([name, value]) => factSentence(name, value, text))
    .filter((each) => each !== "")
    .join(" · ");
