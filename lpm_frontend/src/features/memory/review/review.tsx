"use client";
import { ArrowLeft } from "lucide-react";
import Link from "next/link";
import { useCallback, useEffect, useState } from "react";
import { decideMany, takeBackMany, useDecided, waitingPage } from "@/lib/api/findings";
import { useCommand } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { useReviewText } from "@/lib/i18n/review";
import { Button } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Margin } from "@/ui/margin";
import { Trouble } from "@/ui/trouble";
import type { ReaderOf } from "../beside";
import type { PlaceOfWords } from "../statements/panel";
import { MemoryBar } from "../tabs";
import { ReviewList, useSitting } from "./list";
import * as model from "./model";
import { createSession, type Session, type Sitting } from "./session";

/** All that waits, in one list that is gone through with a few keys. */
export function ReviewPlace({ reader }: { reader: ReaderOf }) {
  const text = useText();
  const t = useReviewText();
  const [session, sitting] = useSession();
  const [place, setPlace] = useState<{ id: string; words: PlaceOfWords } | null>(null);
  const { review, loading, trouble } = sitting;
  useCommand(
    "stop",
    useCallback(() => {
      if (place) setPlace(null);
      else session.change(model.unchoose);
    }, [place, session]),
  );
  const none = review.rows.length === 0;
  return (
    <>
      <MemoryBar view="today" />
      <div className="cols">
        <div className="main review">
          <Link className="review-back small" href="/memory?view=today">
            <Icon of={ArrowLeft} />
            {t.back}
          </Link>
          {trouble !== null && none ? (
            <Trouble error={trouble} onRetry={session.load} />
          ) : loading && none ? (
            <Loading words={t.loading} lines={6} />
          ) : none && model.done(review) + model.leftOpen(review) === 0 ? (
            <Empty title={t.empty}>
              <p className="mute">{review.further ? t.older : t.emptyHint}</p>
              {review.further ? <Button onClick={session.load}>{t.olderDo}</Button> : null}
            </Empty>
          ) : (
            <ReviewList
              session={session}
              shown={place?.id ?? ""}
              onOpen={({ id, document, start, end }) =>
                setPlace({ id, words: { document: document.id, start, end } })
              }
            />
          )}
        </div>
        <Margin label={text.source.region} open={place !== null} onClose={() => setPlace(null)}>
          {place ? (
            reader(place.words, () => setPlace(null))
          ) : (
            <p className="margin-hint small faint">{t.choose}</p>
          )}
        </Margin>
      </div>
    </>
  );
}

function useSession(): readonly [Session, Sitting] {
  const changed = useDecided();
  const [session] = useState(() =>
    createSession({ page: waitingPage, decide: decideMany, takeBack: takeBackMany, changed }),
  );
  useEffect(() => session.load(), [session]);
  return [session, useSitting(session)];
}
