"use client";
import Link from "next/link";
import { useSayOfEntity, useUnsayOfEntity, type Saying } from "@/lib/api/entities";
import type { EntityWhole } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { usePlacesText } from "@/lib/i18n/places";
import { fileOf } from "@/lib/statement";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { placeOf, SourceLine } from "@/ui/evidence";
import { Trouble } from "@/ui/trouble";
import type { PlaceOfWords } from "../statements/panel";
import { Shape } from "./shape";

/** Who it is, in one or two sentences, each with the place that it rests on. */
export function Introduction({
  entity,
  onOpen,
}: {
  entity: EntityWhole;
  onOpen: (place: PlaceOfWords) => void;
}) {
  const text = useText();
  const t = usePlacesText();
  if (entity.introduction.length === 0) return null;
  return (
    <ul className="entity-who" aria-label={t.entity.who}>
      {entity.introduction.map(({ text: said, evidence }) => {
        const title = evidence.source.startsWith("documents/")
          ? evidence.document.title
          : fileOf(evidence.source);
        return (
          <li key={said}>
            <p>{said}</p>
            <button
              type="button"
              className="place"
              title={evidence.text}
              aria-label={t.common.openPlace(title)}
              onClick={() =>
                onOpen({ document: evidence.document.id, start: evidence.start, end: evidence.end })
              }
            >
              <SourceLine
                title={title}
                kind={evidence.document.kind}
                place={placeOf({ source: evidence.source, anchor: evidence.anchor ?? null }, text)}
              />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** What may be the same one, the surest first: one press merges or keeps apart, one undoes. */
export function Duplicates({
  entity,
  href,
  onGo,
}: {
  entity: EntityWhole;
  href: (slug: string) => string;
  onGo: (slug: string) => void;
}) {
  const t = usePlacesText();
  const say = useSayOfEntity();
  const { mutate: unsay } = useUnsayOfEntity();
  if (entity.duplicates.length === 0) return null;
  const tell = (saying: Saying, sentence: string): void =>
    offerUndoWhen(
      say.mutateAsync(saying, { onSuccess: ({ entity: now }) => onGo(now.slug) }),
      ({ decision }) => ({ sentence, undo: () => unsay(decision) }),
    );
  return (
    <section aria-label={t.entity.duplicates}>
      <h3 className="label">{t.entity.duplicates}</h3>
      <ul className="entity-duplicates">
        {entity.duplicates.map((each) => (
          <li key={each.slug}>
            <Link href={href(each.slug)} aria-label={t.entity.goTo(each.name)}>
              <Shape kind={each.kind} />
              <span className="own">{each.name}</span>
            </Link>
            <span className="tiny faint num">{t.pages.mentions(each.mentions)}</span>
            <Button
              size="small"
              tone="quiet"
              disabled={say.isPending}
              aria-label={t.entity.mergeWith(each.name)}
              onClick={() =>
                tell({ what: "merge", into: entity.slug, slugs: [each.slug] }, t.entity.merged)
              }
            >
              {t.entity.mergeDo}
            </Button>
            <Button
              size="small"
              tone="quiet"
              disabled={say.isPending}
              aria-label={t.entity.apartFrom(each.name)}
              onClick={() =>
                tell({ what: "apart", slugs: [entity.slug, each.slug] }, t.entity.keptApart)
              }
            >
              {t.entity.apart}
            </Button>
          </li>
        ))}
      </ul>
      {say.isError ? <Trouble error={say.error} /> : null}
    </section>
  );
}
