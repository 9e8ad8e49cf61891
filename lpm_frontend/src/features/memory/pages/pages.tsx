"use client";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useDeferredValue, useRef, useState } from "react";
import { useEntities } from "@/lib/api/entities";
import { useGraph, useRebuild } from "@/lib/api/graph";
import type { Entity } from "@/lib/api/types";
import { useCommand } from "@/lib/commands";
import { usePlacesText } from "@/lib/i18n/places";
import { Button } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { Field, Segmented } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { Beside, useOpened, useSteps, type ReaderOf } from "../beside";
import { yearIn } from "../entities/entity";
import { Shape } from "../entities/shape";
import { MemoryBar } from "../tabs";
import { KINDS, pagesHref, type PagesWish } from "../views";

interface PagesProps {
  wish: PagesWish;
  reader: ReaderOf;
}

/** People, places, things and ideas, the most named first, and the page of one beside them. */
export function Pages({ wish, reader }: PagesProps) {
  const t = usePlacesText();
  const router = useRouter();
  const [words, setWords] = useState("");
  const typed = useDeferredValue(words.trim());
  const query = useEntities(typed, wish.kind);
  const field = useRef<HTMLInputElement>(null);
  const list = useSteps<HTMLUListElement>();
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const go = useCallback(
    (next: PagesWish) => router.replace(pagesHref(next), { scroll: false }),
    [router],
  );
  const close = useCallback(() => go({ ...wish, slug: "" }), [go, wish]);
  const opened = useOpened(wish.slug, close);
  useCommand(
    "write",
    useCallback(() => field.current?.focus(), []),
  );
  const narrowed = typed !== "" || wish.kind !== "";
  return (
    <>
      <MemoryBar view="pages" />
      <div className="cols">
        <div className="main">
          {query.isError && !query.data ? (
            <Trouble error={query.error} onRetry={() => void query.refetch()} />
          ) : query.data === undefined ? (
            <Loading words={t.pages.loading} lines={6} />
          ) : items.length === 0 && !narrowed ? (
            <NoNames />
          ) : (
            <>
              <div className="memory-head">
                <Field
                  label={t.pages.search}
                  className="quiet-label"
                  ref={field}
                  type="search"
                  placeholder={t.pages.search}
                  value={words}
                  onChange={(event) => setWords(event.target.value)}
                />
                <p className="sum num" role="status">
                  {query.hasNextPage
                    ? t.pages.countMore(items.length)
                    : t.pages.count(items.length)}
                </p>
              </div>
              <div className="pages-kinds">
                <Segmented
                  label={t.kinds.label}
                  value={wish.kind}
                  choices={[
                    ["", t.kinds.all] as const,
                    ...KINDS.map((kind) => [kind, t.kinds.many[kind]] as const),
                  ]}
                  onChange={(kind) => go({ ...wish, kind })}
                />
              </div>
              {items.length === 0 ? (
                <Empty title={t.pages.none}>
                  <Button
                    onClick={() => {
                      setWords("");
                      go({ ...wish, kind: "" });
                    }}
                  >
                    {t.pages.clear}
                  </Button>
                </Empty>
              ) : (
                <ul className="pages-list" aria-label={t.pages.list} ref={list}>
                  {items.map((each) => (
                    <Row key={each.slug} entity={each} wish={wish} />
                  ))}
                </ul>
              )}
              {query.hasNextPage ? (
                <Button
                  className="memory-more"
                  disabled={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  {t.common.more}
                </Button>
              ) : null}
            </>
          )}
        </div>
        <Beside
          label={t.pages.one}
          slug={wish.slug}
          opened={opened}
          href={(slug) => pagesHref({ ...wish, slug })}
          onGo={(slug) => go({ ...wish, slug })}
          onClose={close}
          reader={reader}
        >
          {items.length > 0 ? <p className="margin-hint small faint">{t.pages.choose}</p> : null}
        </Beside>
      </div>
    </>
  );
}

function Row({ entity, wish }: { entity: Entity; wish: PagesWish }) {
  const t = usePlacesText();
  const [first, last] = [yearIn(entity.first), yearIn(entity.last)];
  const open = entity.slug === wish.slug;
  return (
    <li className="page-row" data-open={open}>
      <Link
        className="own"
        href={pagesHref({ ...wish, slug: entity.slug })}
        replace={wish.slug !== ""}
        aria-current={open ? "true" : undefined}
      >
        <Shape kind={entity.kind} />
        {entity.name}
      </Link>
      <span className="tiny faint">{entity.self ? t.pages.you : t.kinds.one[entity.kind]}</span>
      <span className="tiny faint num">{t.pages.mentions(entity.mentions)}</span>
      <span className="tiny faint num">{first === "" ? "" : t.entity.years(first, last)}</span>
    </li>
  );
}

/** There are no names yet, or they were not read yet. */
export function NoNames() {
  const t = usePlacesText();
  const rebuild = useRebuild();
  const state = useGraph("").data?.state;
  const drawing = rebuild.isPending || state === "rebuilding";
  return (
    <Empty title={t.pages.empty}>
      <p className="mute">{t.pages.emptyHint}</p>
      <Button disabled={drawing} onClick={() => rebuild.mutate()}>
        {drawing ? t.pages.drawing : t.pages.draw}
      </Button>
      {rebuild.isError ? <Trouble error={rebuild.error} /> : null}
    </Empty>
  );
}
