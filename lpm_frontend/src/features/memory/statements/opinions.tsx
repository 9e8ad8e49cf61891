"use client";
import { ArrowLeft } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useRef, useState, type ReactNode } from "react";
import { useOpinions } from "@/lib/api/reflections";
import type { DatedEvidence, Opinion } from "@/lib/api/types";
import { useCommand } from "@/lib/commands";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { useLivesText } from "@/lib/i18n/lives";
import { spokenOf } from "@/lib/statement";
import { Button } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Margin } from "@/ui/margin";
import { Sure } from "@/ui/sure";
import { Trouble } from "@/ui/trouble";
import { Curve, Spark } from "./curve";
import type { PlaceOfWords } from "./panel";
import { Rests } from "./rests";
import { Stated } from "./stated";
import { MemoryBar } from "../tabs";
import { opinionsHref, type OpinionsWish } from "../views";
import { hrefOf, NO_WISH } from "./wish";

interface OpinionsProps {
  wish: OpinionsWish;
  reader: (place: PlaceOfWords, onClose: () => void) => ReactNode;
}

/**
 * What the person holds, how sure of it they are, how that came, and what speaks for it and against
 * it.
 */
export function Opinions({ wish, reader }: OpinionsProps) {
  const text = useText();
  const t = useLivesText();
  const router = useRouter();
  const query = useOpinions();
  const [now] = useState(() => Date.now());
  const [place, setPlace] = useState<{ id: string; words: PlaceOfWords } | null>(null);
  const [asked, setAsked] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const items = query.data?.items ?? [];
  const stated = query.data?.stated ?? [];
  const chosen = items.find((each) => each.id === wish.id);
  const opened = place?.id === wish.id ? place.words : null;
  const close = useCallback(
    () => router.replace(opinionsHref({ id: "" }), { scroll: false }),
    [router],
  );
  useCommand(
    "stop",
    useCallback(() => {
      if (opened) setPlace(null);
      else if (asked !== "") setAsked("");
      else if (wish.id !== "") close();
    }, [asked, close, opened, wish.id]),
  );
  useCommand(
    "step",
    useCallback(({ by }: { by: 1 | -1 }) => {
      const links = [...(list.current?.querySelectorAll("a") ?? [])];
      const at = links.findIndex((link) => link === document.activeElement);
      links[Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
    }, []),
  );
  return (
    <>
      <MemoryBar view="opinions" />
      <div className="cols">
        <div className="main">
          {query.isError && !query.data ? (
            <Trouble error={query.error} onRetry={() => void query.refetch()} />
          ) : query.data === undefined ? (
            <Loading words={t.opinions.loading} lines={6} />
          ) : items.length + stated.length === 0 ? (
            <Empty title={t.opinions.empty}>
              <p className="mute">{t.opinions.emptyHint}</p>
            </Empty>
          ) : items.length === 0 ? null : (
            <div className="beside" data-open={wish.id !== ""}>
              <ul className="beside-list" aria-label={t.opinions.list} ref={list}>
                {items.map((each) => (
                  <li key={each.id}>
                    <Link
                      className="beside-row"
                      href={opinionsHref({ id: each.id })}
                      replace={wish.id !== ""}
                      aria-current={each.id === wish.id ? "true" : undefined}
                    >
                      <span className="own">{spokenOf(each)}</span>
                      <span className="beside-facts">
                        <Sure confidence={each.confidence} />
                        <Spark points={each.curve} now={now} />
                      </span>
                    </Link>
                  </li>
                ))}
              </ul>
              {chosen ? (
                <One opinion={chosen} now={now} onAsk={() => setAsked(chosen.id)} />
              ) : (
                <p className="beside-none small faint">
                  {wish.id === "" ? t.opinions.choose : t.opinions.lost}
                </p>
              )}
            </div>
          )}
          {stated.length > 0 && wish.id === "" ? (
            <Stated views={stated} onOpen={(words) => setPlace({ id: "", words })} />
          ) : null}
        </div>
        <Margin
          label={opened ? text.source.region : t.opinions.one}
          open={opened !== null || (asked !== "" && asked === wish.id)}
          onClose={() => (opened ? setPlace(null) : setAsked(""))}
        >
          {opened ? (
            reader(opened, () => setPlace(null))
          ) : chosen ? (
            <Speaking opinion={chosen} onOpen={(words) => setPlace({ id: wish.id, words })} />
          ) : null}
        </Margin>
      </div>
    </>
  );
}

function One({ opinion, now, onAsk }: { opinion: Opinion; now: number; onAsk: () => void }) {
  const t = useLivesText();
  const language = useLanguage();
  const first = opinion.curve[0];
  return (
    <article className="one-view" aria-label={spokenOf(opinion)}>
      <Link className="beside-back small" href={opinionsHref({ id: "" })} replace>
        <Icon of={ArrowLeft} />
        {t.opinions.all}
      </Link>
      <p className="one-facts">
        <Sure confidence={opinion.confidence} />
        {first ? (
          <span className="small faint">{t.opinions.since(formatDate(first.at, language))}</span>
        ) : null}
      </p>
      <h2 className="own">{spokenOf(opinion)}</h2>
      <Curve points={opinion.curve} label={t.opinions.curve} now={now} />
      <Moves opinion={opinion} />
      {opinion.supports.length + opinion.contradicts.length === 0 ? (
        <p className="small mute">{t.opinions.nothing}</p>
      ) : (
        <p className="one-asks">
          <Button size="small" onClick={onAsk}>
            {t.opinions.forIt(opinion.supports.length)} ·{" "}
            {t.opinions.against(opinion.contradicts.length)}
          </Button>
        </p>
      )}
      <p>
        <Link className="link small" href={hrefOf({ ...NO_WISH, id: opinion.id })}>
          {t.opinions.notSo}
        </Link>
      </p>
    </article>
  );
}

/** The curve as a table: when, by how much, and which words. */
function Moves({ opinion }: { opinion: Opinion }) {
  const t = useLivesText();
  const language = useLanguage();
  const said = (at: string, stance: "supports" | "contradicts"): DatedEvidence | undefined =>
    (stance === "supports" ? opinion.supports : opinion.contradicts).find(
      (each) => each.at !== null && Date.parse(each.at) === Date.parse(at),
    );
  const rows = opinion.curve.map((point, at) => ({
    point,
    by: at === 0 ? null : point.confidence - (opinion.curve[at - 1]?.confidence ?? 0),
    words: point.stance ? (said(point.at, point.stance)?.quote ?? "") : t.opinions.own,
  }));
  return (
    <div className="moves">
      <table aria-label={t.opinions.moves}>
        <thead className="sr">
          <tr>
            <th scope="col">{t.opinions.columns.when}</th>
            <th scope="col">{t.opinions.columns.by}</th>
            <th scope="col">{t.opinions.columns.words}</th>
          </tr>
        </thead>
        <tbody>
          {[...rows].reverse().map(({ point, by, words }) => (
            <tr key={`${point.at} ${String(point.confidence)}`}>
              <td className="num faint">{formatDate(point.at, language)}</td>
              <td className="num">
                {by === null || point.stance === null
                  ? point.confidence.toFixed(2)
                  : `${by < 0 ? "−" : "+"}${Math.abs(by).toFixed(2)}`}
              </td>
              <td className={point.stance === null ? "mute" : "own"}>{words}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Speaking({
  opinion,
  onOpen,
}: {
  opinion: Opinion;
  onOpen: (place: PlaceOfWords) => void;
}) {
  const t = useLivesText();
  const parts = [
    [t.opinions.forIt(opinion.supports.length), opinion.supports],
    [t.opinions.against(opinion.contradicts.length), opinion.contradicts],
  ] as const;
  return (
    <div className="remembered">
      {parts.map(([title, those]) => (
        <section key={title} aria-label={title}>
          <h3 className="label num">{title}</h3>
          <ul className="entity-passages">
            {those.map((each) => (
              <li key={`${each.document} ${String(each.start)}`}>
                <Rests place={each} onOpen={onOpen} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
