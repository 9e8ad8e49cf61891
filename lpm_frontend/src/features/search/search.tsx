"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Clock, LockKeyhole, Search as Glass } from "lucide-react";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { recallQuery } from "@/lib/api/recall";
import { useStatus } from "@/lib/api/status";
import type { Item, SaidIn } from "@/lib/api/types";
import { keepChoice, useChoice } from "@/lib/choice";
import { useCommand } from "@/lib/commands";
import { formatDate, useLanguage, useText, type Text } from "@/lib/i18n";
import { marked } from "@/lib/marked";
import { plain } from "@/lib/plain";
import { Bar } from "@/ui/bar";
import { Button } from "@/ui/button";
import { Chips } from "@/ui/chips";
import { asTyped, placeOf, Quote, SourceLine } from "@/ui/evidence";
import { Empty, Loading } from "@/ui/faces";
import { Field } from "@/ui/field";
import { Icon } from "@/ui/icon";
import { Margin } from "@/ui/margin";
import { Sure } from "@/ui/sure";
import { Trouble } from "@/ui/trouble";
import { Loosen, Narrow, useNarrowings } from "./narrow";
import { WhyFound } from "./why";
import { hrefOf, NO_WISH, type SearchWish } from "./wish";

const SHOWN = 25;
const RECENT = 8;
/** While one types, the words are asked for after so long; in full once the hand has rested. */
const TYPING_MS = 90;
const RESTED_MS = 900;

interface SearchProps {
  /** What the address asks for. */
  wish: SearchWish;
  reader: (
    place: { document: string; start: number; end: number; saidIn?: SaidIn | null },
    onClose: () => void,
    onStep: (by: 1 | -1) => void,
  ) => ReactNode;
}

/**
 * Below the first there is probably no answer: of notes that hold one, one search in twenty lies
 * there (docs/log.md). From the second on there is one.
 */
const NO_ANSWER = 0.15;
const AN_ANSWER = 0.7;

/** How sure recall is that an answer is among what it found, in one of three sentences. */
const answerable = (likelihood: number, text: Text): string =>
  text.search.answerable[likelihood < NO_ANSWER ? 0 : likelihood < AN_ANSWER ? 1 : 2] ?? "";

function useRecent(): {
  readonly recent: readonly string[];
  readonly remember: (words: string) => void;
  readonly forget: () => void;
} {
  const kept = useChoice("searches", "[]");
  const recent = ((): readonly string[] => {
    try {
      const read: unknown = JSON.parse(kept);
      return Array.isArray(read)
        ? read.filter((each): each is string => typeof each === "string")
        : [];
    } catch {
      return [];
    }
  })();
  return {
    recent,
    remember: (words) => {
      if (words !== "" && recent[0] !== words)
        keepChoice(
          "searches",
          JSON.stringify([words, ...recent.filter((each) => each !== words)].slice(0, RECENT)),
        );
    },
    forget: () => keepChoice("searches", ""),
  };
}

/**
 * The words as they are asked for: soon while one types, in full when the hand has rested or Enter
 * was pressed.
 */
function useAsked(
  draft: string,
  asked: string,
): { readonly words: string; readonly typing: boolean } {
  const [soon, setSoon] = useState({ words: asked, typing: false });
  useEffect(() => {
    const words = draft.trim();
    const first = setTimeout(() => setSoon({ words, typing: true }), TYPING_MS);
    const rested = setTimeout(() => setSoon({ words, typing: false }), RESTED_MS);
    return () => {
      clearTimeout(first);
      clearTimeout(rested);
    };
  }, [draft]);
  return draft.trim() === asked ? { words: asked, typing: false } : soon;
}

/** Find the place where something stands, and see why it was found. */
export function SearchPlace({ wish, reader }: SearchProps) {
  const text = useText();
  const router = useRouter();
  const status = useStatus().data;
  const [draft, setDraft] = useState(wish.query);
  const [from, setFrom] = useState(wish.query);
  const [openId, setOpenId] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const { recent, remember, forget } = useRecent();
  // Another address (a link, the way back) is another question.
  if (from !== wish.query) {
    setFrom(wish.query);
    setDraft(wish.query);
    setOpenId(null);
  }
  const { words, typing } = useAsked(draft, wish.query);
  const query = useQuery({
    ...recallQuery({ ...wish, query: words, k: SHOWN, typing }),
    placeholderData: keepPreviousData,
  });
  const items = words === "" ? [] : (query.data?.items ?? []);
  const opened = items.find((item) => item.id === openId);
  useLayoutEffect(() => field.current?.focus(), []);
  useCommand(
    "write",
    useCallback(() => {
      field.current?.focus();
      field.current?.select();
    }, []),
  );
  useCommand(
    "stop",
    useCallback(() => setOpenId(null), []),
  );
  const step = (by: 1 | -1): void => {
    const next = items[items.findIndex((item) => item.id === openId) + by];
    if (next) setOpenId(next.id);
  };
  useCommand(
    "step",
    useCallback(({ by }: { by: 1 | -1 }) => {
      const hits = [...(list.current?.querySelectorAll<HTMLElement>(".stretch") ?? [])];
      const at = hits.indexOf(document.activeElement as HTMLElement);
      hits[at === -1 ? 0 : Math.min(hits.length - 1, Math.max(0, at + by))]?.focus();
    }, []),
  );
  const go = (next: SearchWish): void => {
    const asked = { ...next, query: next.query.trim() };
    remember(asked.query);
    setFrom(asked.query);
    router.replace(hrefOf(asked));
  };
  const change = (what: Partial<SearchWish>): void => go({ ...wish, query: draft, ...what });
  const chips = useNarrowings(wish, change);
  const close = (): void => setOpenId(null);
  return (
    <>
      <Bar title={text.places.search} />
      <div className="cols">
        <div className="main">
          <search>
            <form
              className="search-form"
              onSubmit={(event) => {
                event.preventDefault();
                go({ ...wish, query: draft });
              }}
            >
              <div className="search-line">
                <Field
                  label={text.search.query}
                  voice="own"
                  ref={field}
                  type="search"
                  placeholder={text.search.placeholder}
                  value={draft}
                  onChange={(event) => setDraft(event.target.value)}
                />
                <Button tone="ink" type="submit" icon={Glass} disabled={draft.trim() === ""}>
                  {text.search.go}
                </Button>
              </div>
            </form>
            <Narrow wish={wish} onChange={change} />
            <Chips chips={chips} />
          </search>
          {words === "" ? (
            <div className="search-face">
              <Empty title={text.search.emptyTitle}>
                <p className="mute">{text.search.emptyDetail}</p>
                {status?.level === "words" ? (
                  <p className="small">{text.search.levelWords}</p>
                ) : null}
              </Empty>
              {recent.length > 0 ? (
                <section className="search-recent" aria-label={text.seek.recent}>
                  <p className="label">{text.seek.recent}</p>
                  <ul>
                    {recent.map((each) => (
                      <li key={each}>
                        <button
                          type="button"
                          className="link own"
                          onClick={() => go({ ...wish, query: each })}
                        >
                          {each}
                        </button>
                      </li>
                    ))}
                  </ul>
                  <Button size="small" tone="quiet" icon={Clock} onClick={forget}>
                    {text.seek.forget}
                  </Button>
                </section>
              ) : null}
            </div>
          ) : query.isPending ? (
            <div className="search-face">
              <Loading words={text.search.loading(status?.chunks ?? 0)} lines={5} />
            </div>
          ) : query.isError && !query.data ? (
            <div className="search-face">
              <Trouble error={query.error} onRetry={() => void query.refetch()} />
            </div>
          ) : items.length === 0 ? (
            <div className="search-face">
              <Empty title={text.search.nothing(words)}>
                <p className="mute">
                  {text.seek.looked(
                    status?.chunks ?? 0,
                    chips.map((chip) => chip.words).join(", "),
                  )}
                </p>
                <Loosen chips={chips} />
                {chips.length > 0 ? (
                  <Button onClick={() => go({ ...NO_WISH, query: draft })}>
                    {text.search.clearDates}
                  </Button>
                ) : (
                  <p className="mute">{text.search.nothingHint}</p>
                )}
              </Empty>
            </div>
          ) : (
            <>
              <p className="search-said num" role="status">
                <b>{text.search.found(items.length, query.data.considered)}</b>
                {typing ? (
                  <span>{text.seek.typing}</span>
                ) : (
                  <span>{answerable(query.data.answerable, text)}</span>
                )}
                {typing ? null : (
                  <span>
                    {query.data.level === "words"
                      ? text.search.levelWords
                      : text.search.levelVectors}
                  </span>
                )}
              </p>
              <ol
                className="hits"
                ref={list}
                aria-label={text.search.results}
                aria-busy={query.isFetching}
              >
                {items.map((item) => (
                  <Hit
                    key={item.id}
                    item={item}
                    question={words}
                    open={item.id === openId}
                    onOpen={() => {
                      remember(words);
                      setOpenId(item.id);
                    }}
                  />
                ))}
              </ol>
            </>
          )}
        </div>
        <Margin label={text.source.region} open={opened !== undefined} onClose={close}>
          {opened ? (
            reader(
              {
                document: opened.document.id,
                start: opened.start,
                end: opened.end,
                saidIn: opened.said_in ?? null,
              },
              close,
              step,
            )
          ) : items.length > 0 ? (
            <p className="margin-hint small faint">{text.search.choose}</p>
          ) : null}
        </Margin>
      </div>
    </>
  );
}

function Hit({
  item,
  question,
  open,
  onOpen,
}: {
  item: Item;
  question: string;
  open: boolean;
  onOpen: () => void;
}) {
  const text = useText();
  const language = useLanguage();
  return (
    <li className="hit" data-open={open}>
      <div>
        {item.speaker && !item.said_in ? <p className="tiny faint said">{item.speaker}</p> : null}
        <Quote author={item.author ?? null}>
          {marked(item.content, item.marks ?? [], plain).map(({ words, on }, n) =>
            on ? <mark key={n}>{words}</mark> : words,
          )}
        </Quote>
        <div className="hit-place">
          <SourceLine
            title={item.document.title || text.chat.untitled}
            kind={item.document.kind}
            place={placeOf(item, text)}
          />
          {item.kind === undefined || item.kind === "passage" ? null : (
            <span>{text.statements.names[item.kind]}</span>
          )}
          {item.confidence === null || item.confidence === undefined ? null : (
            <Sure confidence={item.confidence} />
          )}
          {item.timestamp ? (
            <span className="num">{formatDate(item.timestamp, language)}</span>
          ) : null}
          {item.document.private && !item.said_in ? (
            <span className="chip">
              <Icon of={LockKeyhole} />
              {text.evidence.private}
            </span>
          ) : null}
        </div>
      </div>
      <button
        type="button"
        className="stretch"
        aria-label={`${item.document.title}: ${text.evidence.open}`}
        aria-expanded={open}
        onClick={onOpen}
      />
      {item.signals ? (
        <WhyFound signals={item.signals} matched={asTyped(item.matched, question)} />
      ) : null}
    </li>
  );
}
