"use client";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useState, type ReactNode } from "react";
import { isRunning, useJobs, useWhenWorkEnds } from "@/lib/api/jobs";
import {
  useBiography,
  useReflect,
  useRefreshed,
  useRestore,
  useRewrite,
  useVersions,
  type Person,
} from "@/lib/api/reflections";
import type { Biography, Sentence } from "@/lib/api/types";
import { useCommand } from "@/lib/commands";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { useLivesText } from "@/lib/i18n/lives";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { Segmented } from "@/ui/field";
import { Margin } from "@/ui/margin";
import { MendForm } from "@/ui/mend";
import { Trouble } from "@/ui/trouble";
import { Changed } from "./changed";
import type { PlaceOfWords } from "../statements/panel";
import { Rests } from "../statements/rests";
import { MemoryBar } from "../tabs";
import { TopicPanel } from "./topic";
import { biographyHref, PERSONS, pagesHref, type BiographyWish } from "../views";

/** Sentences up to which a biography is its own short version. */
const SHORT = 3;

interface BiographyProps {
  wish: BiographyWish;
  reader: (place: PlaceOfWords, onClose: () => void) => ReactNode;
}

/**
 * Who somebody is, in their own sentences: each opens where it stands; every version of the page
 * with what it changed.
 */
export function BiographyPage({ wish, reader }: BiographyProps) {
  const text = useText();
  const t = useLivesText();
  const router = useRouter();
  const query = useBiography(wish.person);
  const versions = useVersions();
  const [opened, setOpened] = useState<{ id: string; words: PlaceOfWords } | null>(null);
  const lit = wish.sentence;
  const about = wish.topic;
  const place = opened !== null && opened.id === lit + about ? opened.words : null;
  const known = query.data;
  const chosen = known?.sentences.find((each) => each.id === lit);
  const go = useCallback(
    (next: BiographyWish) => router.replace(biographyHref(next), { scroll: false }),
    [router],
  );
  useWhenWorkEnds(useRefreshed(), "reflect");
  useCommand(
    "stop",
    useCallback(() => {
      if (place) setOpened(null);
      else if (lit + about !== "") go({ ...wish, sentence: "", topic: "" });
      else if (wish.version > 0) go({ ...wish, version: 0 });
    }, [about, go, lit, place, wish]),
  );
  const close = (): void => go({ ...wish, sentence: "", topic: "" });
  const open = (words: PlaceOfWords): void => setOpened({ id: lit + about, words });
  const topic = known?.topics.find((each) => each.id === about);
  const bare = known?.sentences.length === 0 && known.by_hand.length === 0;
  return (
    <>
      <MemoryBar view="biography">
        {bare || known === undefined ? null : <WriteButton words={t.biography.bringUp} quiet />}
      </MemoryBar>
      <div className="cols">
        <div className="main">
          {query.isError && !known ? (
            <Trouble error={query.error} onRetry={() => void query.refetch()} />
          ) : known === undefined || versions.isPending ? (
            <Loading words={t.biography.loading} lines={6} />
          ) : bare && wish.version === 0 ? (
            <Empty title={t.biography.empty}>
              <p className="mute">{t.biography.emptyHint}</p>
              <WriteButton words={t.biography.write} />
            </Empty>
          ) : (
            <div className="beside life">
              <nav className="beside-list life-versions" aria-label={t.common.versions}>
                <ul>
                  {(versions.data?.items ?? []).map((each) => (
                    <li key={each.number}>
                      <Link
                        className="beside-row"
                        href={biographyHref({
                          ...wish,
                          version: each.number,
                          sentence: "",
                          topic: "",
                        })}
                        replace
                        aria-current={each.number === wish.version ? "true" : undefined}
                      >
                        <span className="num">{t.biography.version(each.number)}</span>
                        <Moment at={each.at} current={each.current} />
                      </Link>
                    </li>
                  ))}
                </ul>
              </nav>
              {wish.version > 0 ? (
                <Changed
                  wish={wish}
                  current={versions.data?.items.find((each) => each.current)?.number ?? 0}
                />
              ) : (
                <Page known={known} wish={wish} onGo={go} />
              )}
            </div>
          )}
        </div>
        <Margin
          label={
            place ? text.source.region : about === "" ? t.biography.carried : t.biography.topic
          }
          open={lit + about !== ""}
          onClose={place ? () => setOpened(null) : close}
        >
          {place ? (
            reader(place, () => setOpened(null))
          ) : chosen && known ? (
            <Carried
              key={chosen.id}
              sentence={chosen}
              path={known.path}
              onOpen={open}
              onGone={close}
            />
          ) : about !== "" ? (
            <TopicPanel
              key={about}
              id={about}
              names={topic?.names ?? []}
              slugs={topic?.slugs ?? []}
              onOpen={open}
              onClose={close}
            />
          ) : bare || known === undefined ? null : (
            <p className="margin-hint small faint">{t.biography.choose}</p>
          )}
        </Margin>
      </div>
    </>
  );
}

function Moment({ at, current }: { at: string; current: boolean }) {
  const t = useLivesText();
  const language = useLanguage();
  return (
    <span className="tiny faint num">
      {formatDate(at, language)}
      {current ? ` · ${t.biography.current}` : ""}
    </span>
  );
}

/** Ask for it; while it is under way the button says so. */
function WriteButton({ words, quiet = false }: { words: string; quiet?: boolean }) {
  const t = useLivesText();
  const reflect = useReflect();
  const jobs = useJobs().data?.items ?? [];
  const busy = reflect.isPending || jobs.some((job) => job.kind === "reflect" && isRunning(job));
  return (
    <>
      <Button
        {...(quiet ? { size: "small" as const } : { tone: "ink" as const })}
        disabled={busy}
        onClick={() => reflect.mutate()}
      >
        {busy ? t.biography.writing : words}
      </Button>
      {reflect.isError ? <Trouble error={reflect.error} /> : null}
    </>
  );
}

interface PageProps {
  known: Biography;
  wish: BiographyWish;
  onGo: (wish: BiographyWish) => void;
}

function Page({ known, wish, onGo }: PageProps) {
  const t = useLivesText();
  const sections = [...new Set(known.sentences.map((each) => each.section))];
  const name = (person: Person): string =>
    person === "third" ? known.name || t.biography.they : t.biography.persons[person];
  return (
    <article className="life-page">
      <Segmented
        label={t.biography.person}
        value={wish.person}
        choices={PERSONS.map(
          (person) =>
            [
              person,
              <span
                key={person}
                className={person === "third" && known.name !== "" ? "own" : undefined}
              >
                {name(person)}
              </span>,
            ] as const,
        )}
        onChange={(person) => onGo({ ...wish, person })}
      />
      {known.short.length > 0 && known.sentences.length > SHORT ? (
        <section aria-label={t.biography.short}>
          <h2 className="label">{t.biography.short}</h2>
          <p className="life-words own">{known.short.join(" ")}</p>
        </section>
      ) : null}
      {sections.map((section) => (
        <section key={section} aria-label={t.biography.sections[section]}>
          <h2 className="label">{t.biography.sections[section]}</h2>
          <p className="life-words">
            {known.sentences
              .filter((each) => each.section === section)
              .map((each) => (
                <span key={each.id}>
                  <Link
                    className="life-sentence own"
                    href={biographyHref({
                      ...wish,
                      topic: "",
                      sentence: each.id === wish.sentence ? "" : each.id,
                    })}
                    replace
                    scroll={false}
                    aria-current={each.id === wish.sentence ? "true" : undefined}
                  >
                    {each.text}
                  </Link>{" "}
                </span>
              ))}
          </p>
        </section>
      ))}
      {known.by_hand.length === 0 ? null : (
        <section aria-label={t.biography.byHand}>
          <h2 className="label">{t.biography.byHand}</h2>
          {known.by_hand.map((line) => (
            <p key={line} className="life-words own">
              {line.replace(/^[-*] /u, "")}
            </p>
          ))}
        </section>
      )}
      {known.topics.length === 0 ? null : (
        <section aria-label={t.biography.topics}>
          <h2 className="label">{t.biography.topics}</h2>
          <ul className="life-topics">
            {known.topics.map((topic) => (
              <li key={topic.id} className={topic.path === null ? undefined : "opens"}>
                {topic.path === null ? null : (
                  <Link
                    className="own"
                    href={biographyHref({
                      ...wish,
                      sentence: "",
                      topic: topic.id === wish.topic ? "" : topic.id,
                    })}
                    replace
                    scroll={false}
                    aria-current={topic.id === wish.topic ? "true" : undefined}
                  >
                    {topic.title}
                  </Link>
                )}
                {(topic.path === null ? topic.slugs : []).slice(0, 4).map((slug, at) => (
                  <Link key={slug} className="own" href={pagesHref({ slug, kind: "" })}>
                    {topic.names[at]}
                  </Link>
                ))}
              </li>
            ))}
          </ul>
        </section>
      )}
      <p className="small faint">{t.biography.foot(known.left_out)}</p>
    </article>
  );
}

interface CarriedProps {
  sentence: Sentence;
  path: string;
  onOpen: (place: PlaceOfWords) => void;
  onGone: () => void;
}

function Carried({ sentence, path, onOpen, onGone }: CarriedProps) {
  const t = useLivesText();
  const rewrite = useRewrite(path);
  const versions = useVersions();
  const { mutate: restore } = useRestore();
  const [mending, setMending] = useState(false);
  const write = (words: string, said: string): void => {
    const before = versions.data?.items.find((each) => each.current)?.number ?? 0;
    offerUndoWhen(
      rewrite.mutateAsync({ line: `${sentence.line}\n`, words }, { onSuccess: onGone }),
      () => ({ sentence: said, undo: () => restore(before) }),
    );
  };
  return (
    <div className="remembered">
      <section aria-label={t.biography.carried}>
        <h3 className="label">{t.biography.carried}</h3>
        <ul className="entity-passages">
          {sentence.evidence.map((each) => (
            <li key={`${each.document} ${String(each.start)}`}>
              <Rests place={each} onOpen={onOpen} />
            </li>
          ))}
        </ul>
      </section>
      {rewrite.isError ? <Trouble error={rewrite.error} /> : null}
      {mending ? (
        <MendForm
          said={sentence.evidence[0]?.quote ?? sentence.text}
          busy={rewrite.isPending}
          onMend={(words) => write(`- ${words.replace(/\s+/gu, " ").trim()}\n`, t.biography.mended)}
          onLeave={() => setMending(false)}
        />
      ) : (
        <p className="entity-acts">
          <Button size="small" disabled={rewrite.isPending} onClick={() => setMending(true)}>
            {t.biography.mend}
          </Button>
          <Button
            size="small"
            tone="quiet"
            disabled={rewrite.isPending}
            onClick={() => write("", t.biography.tookOut)}
          >
            {t.biography.takeOut}
          </Button>
        </p>
      )}
    </div>
  );
}
