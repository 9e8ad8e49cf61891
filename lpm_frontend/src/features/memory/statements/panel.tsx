"use client";
import { X } from "lucide-react";
import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { NodeProblem } from "@/lib/api/client";
import { useForget, useMemory, useRetain, useReword } from "@/lib/api/memories";
import { useKnowing } from "@/lib/api/training";
import type { Memory } from "@/lib/api/types";
import { useDeciding } from "@/lib/deciding";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { fileOf, isStatementKind, lineOf, spoken } from "@/lib/statement";
import { offerUndoWhen } from "@/lib/undo";
import { Button, IconButton } from "@/ui/button";
import { Quote } from "@/ui/evidence";
import { Empty, Loading } from "@/ui/faces";
import { MendForm } from "@/ui/mend";
import { useReturn } from "@/ui/return";
import { Trouble } from "@/ui/trouble";
import { fileNameOf, Line, Marks } from "./facts";
import { StatementForm, type Parts } from "./form";
import { hrefOf, NO_WISH } from "./wish";

export interface PlaceOfWords {
  readonly document: string;
  readonly start: number;
  readonly end: number;
}
interface PanelProps {
  id: string;
  onOpen: (place: PlaceOfWords) => void;
  onClose: () => void;
}

/** Where the words of a wording stand. */
const placeOfWords = ({ evidence: [first] }: Memory): PlaceOfWords | null =>
  first ? { document: first.document, start: first.start, end: first.end } : null;
const partsOf = ({ content, kind, entities, confidence }: Memory): Parts => ({
  content,
  kind: isStatementKind(kind) ? kind : "world",
  entities,
  confidence,
});

/** One memory: how it reads, where it stands, what it said before, and what one can do about it. */
export function Remembered({ id, onOpen, onClose }: PanelProps) {
  const text = useText();
  const query = useMemory(id);
  const heading = useRef<HTMLHeadingElement>(null);
  const there = query.data !== undefined;
  // Who opened it with the keyboard goes on reading there.
  useEffect(() => {
    if (there) heading.current?.focus({ preventScroll: true });
  }, [id, there]);
  const lost = query.error instanceof NodeProblem && query.error.status === 404;
  return (
    <div className="remembered">
      <header className="remembered-head">
        <h2 className="label" ref={heading} tabIndex={-1}>
          {text.memory.one}
        </h2>
        <IconButton icon={X} label={text.frame.close} onClick={onClose} />
      </header>
      {query.data ? (
        <Whole key={id} memory={query.data.memory} history={query.data.history} onOpen={onOpen} />
      ) : lost ? (
        <Empty title={text.memory.lost}>
          <p className="mute">{text.memory.lostHint}</p>
        </Empty>
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={text.memory.loading} lines={4} />
      )}
    </div>
  );
}

function Whole({
  memory,
  history,
  onOpen,
}: {
  memory: Memory;
  history: readonly Memory[];
  onOpen: PanelProps["onOpen"];
}) {
  const text = useText();
  const language = useLanguage();
  const place = placeOfWords(memory);
  return (
    <>
      <Quote large>{spoken(memory)}</Quote>
      <div className="stated-facts">
        <Marks memory={memory} />
        <span className="num">
          {memory.believed_until === null
            ? text.memory.since(formatDate(memory.believed_from, language))
            : text.memory.until(formatDate(memory.believed_until, language))}
        </span>
        {memory.tags.map((tag) => (
          <span key={tag} className="chip">
            {tag}
          </span>
        ))}
      </div>
      {memory.entities.length === 0 ? null : (
        <section aria-label={text.memory.about}>
          <h3 className="label">{text.memory.about}</h3>
          <div className="names">
            {memory.entities.map((name) => (
              <Link
                key={name}
                className="link own"
                href={hrefOf({ ...NO_WISH, about: name, id: memory.id })}
                replace
                aria-label={text.memory.aboutOnly(name)}
              >
                {name}
              </Link>
            ))}
          </div>
        </section>
      )}
      <section aria-label={text.memory.line}>
        <h3 className="label">{text.memory.line}</h3>
        {place === null ? (
          <Line memory={memory} />
        ) : (
          <button
            type="button"
            className="place"
            aria-label={text.memory.open(fileNameOf(memory))}
            onClick={() => onOpen(place)}
          >
            <Line memory={memory} />
          </button>
        )}
      </section>
      {memory.believed_until !== null ? (
        <Gone memory={memory} />
      ) : memory.editable ? (
        <Own memory={memory} />
      ) : (
        <HandedIn memory={memory} />
      )}
      {history.length === 0 ? null : (
        <section aria-label={text.memory.history}>
          <h3 className="label">{text.memory.history}</h3>
          <div>
            {history.toReversed().map((past) => (
              <Past key={past.number} past={past} onOpen={onOpen} />
            ))}
          </div>
        </section>
      )}
      <KnownBy id={memory.id} />
    </>
  );
}

/** The trainings that learned it, once there are any. */
function KnownBy({ id }: { id: string }) {
  const text = useText();
  const runs = useKnowing(id).data?.items ?? [];
  if (runs.length === 0) return null;
  return (
    <section aria-label={text.memory.knownBy}>
      <h3 className="label">{text.memory.knownBy}</h3>
      <div className="names num">
        {runs.map((run) => (
          <Link
            key={run.id}
            className="link small"
            href={`/training?view=inside&id=${encodeURIComponent(run.id)}`}
          >
            {text.memory.training(run.number)}
          </Link>
        ))}
      </div>
    </section>
  );
}

/** An older wording; it opens at its old words. */
function Past({ past, onOpen }: { past: Memory; onOpen: PanelProps["onOpen"] }) {
  const text = useText();
  const language = useLanguage();
  const place = placeOfWords(past);
  return (
    <button
      type="button"
      className="past"
      disabled={place === null}
      onClick={() => place && onOpen(place)}
    >
      <span className="own">{spoken(past)}</span>
      <span className="stated-facts">
        <span className="num">
          {past.believed_until === null
            ? text.memory.since(formatDate(past.believed_from, language))
            : text.memory.until(formatDate(past.believed_until, language))}
        </span>
        <Line memory={past} />
      </span>
    </button>
  );
}

/** What stands in the workspace is mended and forgotten in its file. */
function Own({ memory }: { memory: Memory }) {
  const text = useText();
  const [mending, setMending] = useState(false);
  const back = useReturn(mending);
  const reword = useReword();
  const forget = useForget();
  const retain = useRetain();
  if (mending) {
    return (
      <StatementForm
        parts={partsOf(memory)}
        action={text.findings.mendDo}
        busy={reword.isPending}
        error={reword.error}
        onLeave={() => setMending(false)}
        onWrite={(parts) => {
          const before = partsOf(memory);
          const written = reword
            .mutateAsync({ id: memory.id, change: parts })
            .then(() => setMending(false));
          offerUndoWhen(written, () => ({
            sentence: text.memory.mended,
            undo: () => reword.mutate({ id: memory.id, change: before }),
          }));
        }}
      />
    );
  }
  return (
    <div className="remembered-acts">
      <Button
        size="small"
        tone="quiet"
        ref={back}
        disabled={forget.isPending}
        onClick={() => setMending(true)}
      >
        {text.findings.mend}
      </Button>
      <Button
        size="small"
        tone="quiet"
        disabled={forget.isPending}
        onClick={() =>
          offerUndoWhen(forget.mutateAsync(memory.id), () => ({
            sentence: text.memory.forgotten,
            undo: () => retain.mutate({ line: lineOf(memory), file: fileOf(memory.source) }),
          }))
        }
      >
        {text.findings.forget}
      </Button>
      {forget.isError ? <Trouble error={forget.error} /> : null}
    </div>
  );
}

/**
 * What was forgotten can be brought back as it read last, into the file of today, under the same
 * id, so that its history goes on.
 */
function Gone({ memory }: { memory: Memory }) {
  const text = useText();
  const language = useLanguage();
  const retain = useRetain();
  const forget = useForget();
  return (
    <div className="remembered-acts">
      <p className="small mute">
        {text.memory.gone(formatDate(memory.believed_until ?? "", language))}
      </p>
      <Button
        size="small"
        disabled={retain.isPending}
        onClick={() =>
          offerUndoWhen(retain.mutateAsync({ line: lineOf(memory) }), () => ({
            sentence: text.memory.broughtBack,
            undo: () => forget.mutate(memory.id),
          }))
        }
      >
        {text.memory.bringBack}
      </Button>
      {retain.isError ? <Trouble error={retain.error} /> : null}
    </div>
  );
}

/**
 * A document that was handed in is never changed: what is decided about its words holds beside it.
 */
function HandedIn({ memory }: { memory: Memory }) {
  const text = useText();
  const { settle, done, busy, error } = useDeciding();
  const [mending, setMending] = useState(false);
  const back = useReturn(mending);
  // What was written is decided: taken back, the buttons are there again.
  if (mending && done !== null) setMending(false);
  const place = placeOfWords(memory);
  if (place === null) return null;
  if (done) {
    return (
      <p className="small mute" role="status">
        {text.findings.did[done.verdict]}{" "}
        {done.content === "" ? null : <span className="own">{done.content}</span>}
      </p>
    );
  }
  return (
    <section aria-label={text.findings.mend}>
      <p className="tiny faint">{text.memory.handedIn}</p>
      {mending ? (
        <MendForm
          said={memory.content}
          busy={busy}
          onMend={(content) => settle(place, "mend", content)}
          onLeave={() => setMending(false)}
        />
      ) : (
        <div className="remembered-acts">
          <Button
            size="small"
            tone="quiet"
            ref={back}
            disabled={busy}
            onClick={() => setMending(true)}
          >
            {text.findings.mend}
          </Button>
          <Button size="small" tone="quiet" disabled={busy} onClick={() => settle(place, "forget")}>
            {text.findings.forget}
          </Button>
        </div>
      )}
      {error === null ? null : <Trouble error={error} />}
    </section>
  );
}
