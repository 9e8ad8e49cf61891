"use client";
import { X } from "lucide-react";
import Link from "next/link";
import { useEffect, useRef } from "react";
import { useTopic } from "@/lib/api/reflections";
import type { Sentence, TopicPage } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { useLivesText } from "@/lib/i18n/lives";
import { Button, IconButton } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import type { PlaceOfWords } from "../statements/panel";
import { Rests } from "../statements/rests";
import { filesHref, pagesHref } from "../views";
import { useUndoableWriting } from "../files/writing";

interface TopicProps {
  id: string;
  names: readonly string[];
  slugs: readonly string[];
  onOpen: (place: PlaceOfWords) => void;
  onClose: () => void;
}

/**
 * What one topic of a life is about: sentences of the person's own, each with where it stands and a
 * way to take it out.
 */
export function TopicPanel({ id, names, slugs, onOpen, onClose }: TopicProps) {
  const text = useText();
  const t = useLivesText();
  const query = useTopic(id);
  const heading = useRef<HTMLHeadingElement>(null);
  const known = query.data;
  useEffect(() => heading.current?.focus({ preventScroll: true }), [id]);
  return (
    <div className="remembered">
      <header className="remembered-head">
        <p className="label">{t.biography.topic}</p>
        <IconButton icon={X} label={text.frame.close} onClick={onClose} />
      </header>
      <h2 className="own" ref={heading} tabIndex={-1}>
        {known?.title ?? names.slice(0, 3).join(" · ")}
      </h2>
      <p className="names small">
        {slugs.map((slug, at) => (
          <Link key={slug} className="link own" href={pagesHref({ slug, kind: "" })}>
            {names[at]}
          </Link>
        ))}
      </p>
      {query.isError && known === undefined ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : known === undefined ? (
        <Loading words={t.biography.loading} lines={5} />
      ) : (
        <Said page={known} onOpen={onOpen} />
      )}
    </div>
  );
}

function Said({ page, onOpen }: { page: TopicPage; onOpen: TopicProps["onOpen"] }) {
  const t = useLivesText();
  const sections = [...new Set(page.sentences.map((each) => each.section))];
  return (
    <>
      {sections.map((section) => (
        <section key={section} aria-label={t.biography.sections[section]}>
          <h3 className="label">{t.biography.sections[section]}</h3>
          <ul className="entity-passages topic-line">
            {page.sentences
              .filter((each) => each.section === section)
              .map((each) => (
                <li key={each.id}>
                  <Line sentence={each} path={page.path} onOpen={onOpen} />
                </li>
              ))}
          </ul>
        </section>
      ))}
      {page.by_hand.length === 0 ? null : (
        <section aria-label={t.biography.byHand}>
          <h3 className="label">{t.biography.byHand}</h3>
          {page.by_hand.map((line) => (
            <p key={line} className="own">
              {line.replace(/^[-*] /u, "")}
            </p>
          ))}
        </section>
      )}
      <p className="small">
        <Link className="link" href={filesHref({ path: page.path })}>
          {t.biography.topicFile}
        </Link>
      </p>
    </>
  );
}

function Line({
  sentence,
  path,
  onOpen,
}: {
  sentence: Sentence;
  path: string;
  onOpen: TopicProps["onOpen"];
}) {
  const t = useLivesText();
  const { write, busy, error } = useUndoableWriting();
  if (sentence.section === "summary") return <p className="own small">{sentence.text}</p>;
  return (
    <>
      {sentence.evidence.slice(0, 1).map((each) => (
        <Rests key={each.document} place={each} onOpen={onOpen} />
      ))}
      <p className="entity-acts">
        <Button
          size="small"
          tone="quiet"
          disabled={busy}
          onClick={() =>
            write(
              { how: "replace", path, old: `${sentence.line}\n`, new: "" },
              t.biography.topicTookOut,
            )
          }
        >
          {t.biography.takeOut}
        </Button>
      </p>
      {error === null ? null : <Trouble error={error} />}
    </>
  );
}
