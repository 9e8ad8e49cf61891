"use client";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { Download, Undo2, X } from "lucide-react";
import type { ReactNode } from "react";
import { useTrainingText } from "@/lib/i18n/training";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Field, Segmented } from "@/ui/field";
import { Icon } from "@/ui/icon";
import { Trouble } from "@/ui/trouble";

/** The words for one sort of material. */
interface MaterialWords {
  readonly search: string;
  readonly kinds: string;
  readonly every: string;
  readonly loading: string;
  readonly none: string;
  readonly shown: (n: number) => string;
  readonly list: string;
  readonly more: string;
}

interface MaterialProps<Item, Kind extends string> {
  words: MaterialWords;
  exportHref: string;
  /** The kinds that there are, each with what it is called. */
  kinds: readonly (readonly [Kind, string])[];
  kind: Kind | "";
  onKind: (kind: Kind | "") => void;
  typed: string;
  onTyped: (typed: string) => void;
  query: UseInfiniteQueryResult<InfiniteData<{ items: Item[]; total: number }>>;
  /** Why it could not be changed. */
  error: Error | null;
  children: (item: Item) => ReactNode;
}

/** What a training learns from, rows or pairs: to search, to narrow to a kind, and to save. */
export function Material<Item, Kind extends string>(props: MaterialProps<Item, Kind>) {
  const { words, query, error, children } = props;
  const t = useTrainingText();
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const total = query.data?.pages[0]?.total ?? 0;
  return (
    <>
      <div className="rows-tools">
        <Field
          label={words.search}
          className="quiet-label"
          type="search"
          placeholder={words.search}
          value={props.typed}
          onChange={(event) => props.onTyped(event.target.value)}
        />
        <a className="ib" href={props.exportHref} download>
          <Icon of={Download} />
          <span>{t.rows.export}</span>
        </a>
      </div>
      <Segmented
        label={words.kinds}
        value={props.kind}
        choices={[["", words.every] as const, ...props.kinds]}
        onChange={props.onKind}
      />
      {error ? <Trouble error={error} /> : null}
      {query.isError && !query.data ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading words={words.loading} />
      ) : (
        <>
          <p className="small faint num" role="status">
            {total === 0 ? words.none : words.shown(total)}
          </p>
          <ul className="row-list" aria-label={words.list}>
            {items.map(children)}
          </ul>
          {query.hasNextPage ? (
            <Button
              size="small"
              disabled={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              {words.more}
            </Button>
          ) : null}
        </>
      )}
    </>
  );
}

/** One thing that can be struck out. */
interface Struck {
  readonly id: string;
  readonly question: string;
  readonly struck: boolean;
}

interface StrikingWords {
  readonly struck: string;
  readonly broughtBack: string;
}

/** Strike it out, or bring it back; either can be undone. */
export const strikeOrBringBack = (
  { id, struck }: Struck,
  change: (change: { strike: string[] } | { unstrike: string[] }) => Promise<unknown>,
  words: StrikingWords,
): void => {
  const say = (on: boolean) => change(on ? { strike: [id] } : { unstrike: [id] });
  offerUndoWhen(say(!struck), () => ({
    sentence: struck ? words.broughtBack : words.struck,
    undo: () => void say(struck),
  }));
};

interface StrikeButtonProps {
  of: Struck;
  words: {
    readonly strikeWhat: (question: string) => string;
    readonly backWhat: (question: string) => string;
  };
  busy: boolean;
  onStrike: () => void;
}

/** The button that strikes it out, or brings it back. */
export function StrikeButton({ of, words, busy, onStrike }: StrikeButtonProps) {
  const t = useTrainingText();
  return (
    <Button
      size="small"
      tone="quiet"
      icon={of.struck ? Undo2 : X}
      disabled={busy}
      aria-label={of.struck ? words.backWhat(of.question) : words.strikeWhat(of.question)}
      onClick={onStrike}
    >
      {of.struck ? t.rows.back : t.rows.strike}
    </Button>
  );
}
