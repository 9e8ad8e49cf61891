"use client";
import Link from "next/link";
import { useState } from "react";
import { useConsolidate, useThreads, type TierName } from "@/lib/api/threads";
import type { Salience, HeldThread, TierCounts } from "@/lib/api/types";
import { formatDate, useLanguage } from "@/lib/i18n";
import { useFadingText } from "@/lib/i18n/fading";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";

const TIERS: readonly TierName[] = ["session", "archive", "consolidated", "fading"];
const PARTS = ["emotion", "novelty", "relation", "repetition"] as const;
const COLOURS = {
  emotion: "weight-emotion",
  novelty: "weight-novelty",
  relation: "weight-relation",
  repetition: "weight-repetition",
} as const;
/** What each part weighs in the whole. */
const WEIGHTS = { emotion: 0.4, novelty: 0.3, relation: 0.2, repetition: 0.1 } as const;

/** What was told in chats, tier by tier. */
export function ToldInChats() {
  const t = useFadingText();
  const [tier, setTier] = useState<TierName>("fading");
  const query = useThreads(tier);
  const counts = query.data?.pages[0]?.counts;
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-label={t.chats}>
      <h2>{t.chats}</h2>
      <p className="small mute">{t.chatsHint}</p>
      <Way counts={counts} tier={tier} onTier={setTier} />
      {query.isError && !query.data ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading words={t.loading} lines={3} />
      ) : items.length === 0 ? (
        <p className="small mute">{t.noneTold[tier]}</p>
      ) : (
        items.map((thread) => <ToldOnce key={thread.id} thread={thread} />)
      )}
      {query.hasNextPage ? (
        <Button
          size="small"
          tone="quiet"
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t.more}
        </Button>
      ) : null}
    </section>
  );
}

/** The way through the tiers, with how much lies in each; one of them is shown below. */
function Way({
  counts,
  tier,
  onTier,
}: {
  counts: TierCounts | undefined;
  tier: TierName;
  onTier: (tier: TierName) => void;
}) {
  const t = useFadingText();
  return (
    <div className="tiers" role="group" aria-label={t.show}>
      {TIERS.map((each) => (
        <button
          key={each}
          type="button"
          className="tier"
          aria-pressed={each === tier}
          onClick={() => onTier(each)}
        >
          <b className="num">{counts === undefined ? "–" : counts[each]}</b>
          <span>{t.tiers[each]}</span>
          <span className="tiny faint">{t.tierMeans[each]}</span>
        </button>
      ))}
    </div>
  );
}

function ToldOnce({ thread }: { thread: HeldThread }) {
  const t = useFadingText();
  const language = useLanguage();
  const consolidate = useConsolidate();
  const { id, consolidated, decided } = thread;
  const title = thread.title === "" ? t.untitled : thread.title;
  return (
    <article className="it fading-one" aria-label={thread.content}>
      <p className="own">{thread.content}</p>
      <div className="fading-why">
        {thread.salience ? (
          <Weight salience={thread.salience} />
        ) : (
          <p className="small faint">{t.unweighed}</p>
        )}
      </div>
      <div className="m">
        <Link
          className="link small"
          href={`/?id=${encodeURIComponent(thread.conversation)}&turn=${encodeURIComponent(thread.turn)}`}
          aria-label={t.chat}
        >
          {title}
        </Link>
        <span className="small mute num">
          {formatDate(thread.started_at, language)}
          {thread.fades_at == null
            ? ""
            : ` · ${(thread.tier === "long_term" ? t.fadedOn : t.fadesOn)(formatDate(thread.fades_at, language))}`}
        </span>
        <span className="acts">
          <Button
            size="small"
            tone="quiet"
            disabled={consolidate.isPending}
            onClick={() =>
              offerUndoWhen(consolidate.mutateAsync({ id, consolidated: !consolidated }), () => ({
                sentence: consolidated ? t.fades : t.broughtBack,
                undo: () => consolidate.mutate({ id, consolidated, decided }),
              }))
            }
          >
            {consolidated ? t.letFade : t.bringBack}
          </Button>
        </span>
      </div>
      {consolidate.isError ? <Trouble error={consolidate.error} /> : null}
    </article>
  );
}

/** Why it weighs what it weighs: each part as wide as what it adds to the whole. */
function Weight({ salience }: { salience: Salience }) {
  const t = useFadingText();
  return (
    <>
      <span className="weight" aria-hidden="true">
        {PARTS.map((part) => (
          <i
            key={part}
            className={COLOURS[part]}
            style={{ width: `${String(100 * WEIGHTS[part] * salience[part])}%` }}
          />
        ))}
      </span>
      <p className="small mute num">
        {t.salience(Math.round(salience.total * 100))}
        {PARTS.map((part) => (
          <span key={part} className="weight-part">
            <i className={`dot ${COLOURS[part]}`} aria-hidden="true" />
            {t.part(t.parts[part], Math.round(salience[part] * 100))}
          </span>
        ))}
      </p>
    </>
  );
}
