"use client";
import { LockKeyhole, X } from "lucide-react";
import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { NodeProblem } from "@/lib/api/client";
import { useEntity, useUnsayOfEntity } from "@/lib/api/entities";
import type { EntityWhole, Item, Neighbour } from "@/lib/api/types";
import { formatDate, listed, useLanguage, useText } from "@/lib/i18n";
import { usePlacesText } from "@/lib/i18n/places";
import { fileOf, spoken, STATEMENT_KINDS } from "@/lib/statement";
import { IconButton } from "@/ui/button";
import { placeOf, Quote, SourceLine } from "@/ui/evidence";
import { Empty, Loading } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Trouble } from "@/ui/trouble";
import { EntityActs } from "./entity-acts";
import type { PlaceOfWords } from "../statements/panel";
import { Shape } from "./shape";
import { Duplicates, Introduction } from "./who";
import { hrefOf, NO_WISH } from "../statements/wish";

interface EntityPageProps {
  slug: string;
  /** The address of another page, shown the same way. */
  href: (slug: string) => string;
  onGo: (slug: string) => void;
  onOpen: (place: PlaceOfWords) => void;
  onClose: () => void;
}

/**
 * One person, place, thing or idea: what is believed of it, where it is named, what stands beside
 * it, and what the person decided.
 */
export function EntityPage({ slug, href, onGo, onOpen, onClose }: EntityPageProps) {
  const text = useText();
  const t = usePlacesText();
  const language = useLanguage();
  const query = useEntity(slug, language);
  const heading = useRef<HTMLHeadingElement>(null);
  const known = query.data;
  const there = known !== undefined;
  useEffect(() => {
    if (there) heading.current?.focus({ preventScroll: true });
  }, [slug, there]);
  const lost = query.error instanceof NodeProblem && query.error.status === 404;
  return (
    <div className="remembered">
      <header className="remembered-head">
        <p className="label num">{known ? <Facts entity={known} /> : t.pages.list}</p>
        <IconButton icon={X} label={text.frame.close} onClick={onClose} />
      </header>
      {known ? (
        <>
          <div className="entity-name">
            <h2 className="own" ref={heading} tabIndex={-1}>
              {known.name}
            </h2>
            {known.aliases.length === 0 ? null : (
              <p className="small faint">{t.entity.aliases(listed(known.aliases, language))}</p>
            )}
          </div>
          <Introduction entity={known} onOpen={onOpen} />
          <EntityActs key={known.slug} entity={known} onGo={onGo} onClose={onClose} />
          <Duplicates key={`same ${known.slug}`} entity={known} href={href} onGo={onGo} />
          <Statements entity={known} />
          <Neighbours neighbours={known.neighbours} href={href} onOpen={onOpen} />
          <Passages passages={known.passages} onOpen={onOpen} />
          <Decisions entity={known} />
        </>
      ) : lost ? (
        <Empty title={t.entity.lost}>
          <p className="mute">{t.entity.lostHint}</p>
        </Empty>
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={t.entity.loading} lines={5} />
      )}
    </div>
  );
}

/** The year in which something was named first or last. */
export const yearIn = (iso: string | null): string =>
  iso === null ? "" : String(new Date(iso).getFullYear());

/** Its kind, how often it is named, and from when to when. */
function Facts({ entity }: { entity: EntityWhole }) {
  const t = usePlacesText();
  const [first, last] = [yearIn(entity.first), yearIn(entity.last)];
  return (
    <>
      <Shape kind={entity.kind} /> {t.kinds.one[entity.kind]} · {t.pages.mentions(entity.mentions)}
      {first === "" ? "" : ` · ${t.entity.years(first, last)}`}
    </>
  );
}

function Statements({ entity }: { entity: EntityWhole }) {
  const text = useText();
  const t = usePlacesText();
  if (entity.statements.length === 0) return null;
  return (
    <section aria-label={t.entity.statements}>
      <h3 className="label">{t.entity.statements}</h3>
      {STATEMENT_KINDS.map((kind) => {
        const those = entity.statements.filter((each) => each.kind === kind);
        return those.length === 0 ? null : (
          <div key={kind} className="entity-kind">
            <h4 className="tiny faint">{text.statements.names[kind]}</h4>
            <ul>
              {those.map((each) => (
                <li key={each.id}>
                  <Link className="own entity-stated" href={hrefOf({ ...NO_WISH, id: each.id })}>
                    {spoken(each)}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </section>
  );
}

function Passages({
  passages,
  onOpen,
}: {
  passages: readonly Item[];
  onOpen: EntityPageProps["onOpen"];
}) {
  const t = usePlacesText();
  if (passages.length === 0) return null;
  return (
    <section aria-label={t.entity.passages}>
      <h3 className="label">{t.entity.passages}</h3>
      <ul className="entity-passages">
        {passages.map((each) => (
          <li key={each.id}>
            <Passage passage={each} words={each.content} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Words of a document with the place where they stand. */
export function Passage({
  passage,
  words,
  onOpen,
}: {
  passage: Item;
  words: string;
  onOpen: EntityPageProps["onOpen"];
}) {
  const text = useText();
  const t = usePlacesText();
  const language = useLanguage();
  const title = passage.source.startsWith("documents/")
    ? passage.document.title
    : fileOf(passage.source);
  return (
    <div className="entity-passage">
      <Quote author={passage.author ?? null}>
        {spoken({ content: words, entities: passage.entities })}
      </Quote>
      <p className="told-facts">
        <button
          type="button"
          className="place"
          aria-label={t.common.openPlace(title)}
          onClick={() =>
            onOpen({ document: passage.document.id, start: passage.start, end: passage.end })
          }
        >
          <SourceLine
            title={title}
            kind={passage.document.kind}
            place={placeOf({ source: passage.source, anchor: passage.anchor ?? null }, text)}
          />
        </button>
        {passage.timestamp === null ? null : (
          <span className="tiny faint num">{formatDate(passage.timestamp, language)}</span>
        )}
        {passage.document.private ? (
          <span className="chip">
            <Icon of={LockKeyhole} />
            {t.common.private}
          </span>
        ) : null}
      </p>
    </div>
  );
}

/** What is named beside it, each with a way to its page and to the words that say so. */
function Neighbours({
  neighbours,
  href,
  onOpen,
}: {
  neighbours: readonly Neighbour[];
  href: EntityPageProps["href"];
  onOpen: EntityPageProps["onOpen"];
}) {
  const t = usePlacesText();
  const [why, setWhy] = useState("");
  const asked = neighbours.find((each) => each.slug === why);
  if (neighbours.length === 0) return null;
  return (
    <section aria-label={t.entity.neighbours}>
      <h3 className="label">{t.entity.neighbours}</h3>
      <ul className="neighbours">
        {neighbours.map((each) => (
          <li key={each.slug}>
            <Link href={href(each.slug)} aria-label={t.entity.goTo(each.name)}>
              <Shape kind={each.kind} />
              <span className="own">{each.name}</span>
            </Link>
            <button
              type="button"
              aria-expanded={each.slug === why}
              aria-label={t.entity.why(each.name)}
              onClick={() => setWhy(each.slug === why ? "" : each.slug)}
            >
              ?
            </button>
          </li>
        ))}
      </ul>
      {asked ? (
        <div className="neighbour-why" role="group" aria-label={t.entity.why(asked.name)}>
          {asked.evidence.map((each) => (
            <Passage key={each.id} passage={each} words={each.text} onOpen={onOpen} />
          ))}
        </div>
      ) : null}
    </section>
  );
}

function Decisions({ entity }: { entity: EntityWhole }) {
  const t = usePlacesText();
  const language = useLanguage();
  const unsay = useUnsayOfEntity();
  if (entity.decisions.length === 0) return null;
  return (
    <section aria-label={t.entity.decisions}>
      <h3 className="label">{t.entity.decisions}</h3>
      <ul>
        {entity.decisions.map((each) => (
          <li key={each.id} className="entity-decision small">
            <span>{t.entity.decided[each.what](listed(each.names ?? [], language))}</span>
            <span className="tiny faint num">{formatDate(each.at, language)}</span>
            <button
              type="button"
              className="link small"
              disabled={unsay.isPending}
              onClick={() => unsay.mutate(each.id)}
            >
              {t.entity.takeBack}
            </button>
          </li>
        ))}
      </ul>
      {unsay.isError ? <Trouble error={unsay.error} /> : null}
    </section>
  );
}
