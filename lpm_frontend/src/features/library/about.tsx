"use client";
import { X } from "lucide-react";
import Link from "next/link";
import { Fragment, useState, type ReactNode } from "react";
import { useChangeDocument, type DocumentChange } from "@/lib/api/documents";
import { useBulk, useCounts, useMembers, type Filter } from "@/lib/api/library";
import type { Document } from "@/lib/api/types";
import { formatBytes, formatDate, useLanguage, useText } from "@/lib/i18n";
import { remarkIn } from "@/lib/i18n/remarks";
import { plain } from "@/lib/plain";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Choose, Options } from "@/ui/choose";
import { documentIcon, Quote } from "@/ui/evidence";
import { Field } from "@/ui/field";
import { Icon } from "@/ui/icon";
import { Folder } from "./bulk";

interface AboutProps {
  document: Document;
  onFilter: (filter: Filter) => void;
  /** A place of it was opened. */
  onPlace: () => void;
}

/**
 * What is known of a document: its own best sentences with their places, tags, folder, what came in
 * it, facts.
 */
export function About({ document, onFilter, onPlace }: AboutProps) {
  return (
    <div className="about">
      <h2>{document.title}</h2>
      <Sayings document={document}>
        {(sentence) => (
          <Link
            className="about-place"
            href={`/library?id=${encodeURIComponent(document.id)}&start=${sentence.start}&end=${sentence.end}`}
            replace
            onClick={onPlace}
          >
            <Quote author={sentence.author ?? null}>{plain(sentence.text)}</Quote>
          </Link>
        )}
      </Sayings>
      {document.superseded_by ? null : <Labels document={document} onFilter={onFilter} />}
      {document.kind === "archive" ? <Members document={document} /> : null}
      <Facts document={document} />
    </div>
  );
}

/** What a document says of itself: its own best sentences. */
export function Sayings({
  document,
  children,
}: {
  document: Document;
  children: (sentence: Document["summary"][number]) => ReactNode;
}) {
  const text = useText();
  if (document.summary.length === 0) return null;
  return (
    <section aria-label={text.shelves.says}>
      <h3 className="label">{text.shelves.says}</h3>
      {document.summary.map((sentence) => (
        <Fragment key={sentence.start}>{children(sentence)}</Fragment>
      ))}
    </section>
  );
}

/** What can be counted of it. */
export function Facts({ document }: { document: Document }) {
  const text = useText();
  const language = useLanguage();
  const facts: readonly (readonly [string, string])[] = [
    [text.library.columns.kind, text.library.kinds[document.kind]],
    [text.library.size, formatBytes(document.bytes, language)],
    [text.library.written, document.created_at ? formatDate(document.created_at, language) : "–"],
    [text.library.added, formatDate(document.added_at, language)],
    ...(document.deleted_at
      ? []
      : [[text.library.passages, document.passages.toLocaleString(language)] as const]),
    ...((document.remarks ?? []).length > 0
      ? [
          [
            text.library.remarks,
            (document.remarks ?? []).map((remark) => remarkIn(language, remark)).join(" "),
          ] as const,
        ]
      : []),
    [text.library.fingerprint, document.sha256],
  ];
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={name === text.library.fingerprint ? "mono" : undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Labels({
  document,
  onFilter,
}: {
  document: Document;
  onFilter: (filter: Filter) => void;
}) {
  const text = useText();
  const change = useChangeDocument();
  const known = Object.entries(useCounts({}).data?.tags ?? {}).filter(
    ([tag]) => !document.tags.includes(tag),
  );
  const [name, setName] = useState("");
  const set = (wanted: DocumentChange): void => {
    const back: DocumentChange = { tags: document.tags, folder: document.folder ?? "" };
    offerUndoWhen(change.mutateAsync({ id: document.id, change: wanted }), () => ({
      sentence: text.library.changed(document.title),
      undo: () => change.mutate({ id: document.id, change: back }),
    }));
  };
  const folder = document.folder ?? "";
  return (
    <section className="about-labels">
      <h3 className="label">{text.shelves.tags}</h3>
      <div className="row wrap">
        {document.tags.map((tag) => (
          <span key={tag} className="chip">
            <button type="button" className="chip-word" onClick={() => onFilter({ tag: [tag] })}>
              {tag}
            </button>
            <button
              type="button"
              className="chip-x"
              aria-label={text.shelves.dropTag(tag)}
              title={text.shelves.dropTag(tag)}
              onClick={() => set({ tags: document.tags.filter((each) => each !== tag) })}
            >
              <Icon of={X} />
            </button>
          </span>
        ))}
        <Choose label={text.shelves.addTag} chosen="">
          {(close) => (
            <>
              <form
                className="choose-form"
                onSubmit={(event) => {
                  event.preventDefault();
                  if (name.trim() !== "") set({ tags: [...document.tags, name.trim()] });
                  setName("");
                  close();
                }}
              >
                <Field
                  label={text.shelves.newTag}
                  className="quiet-label"
                  placeholder={text.shelves.newTag}
                  value={name}
                  onChange={(event) => setName(event.target.value)}
                />
                <Button size="small" type="submit">
                  {text.shelves.addTagDo}
                </Button>
              </form>
              <Options
                empty={text.shelves.nothingToChoose}
                options={known
                  .toSorted(([, m], [, n]) => n - m)
                  .map(([value, count]) => ({ value, words: value, count }))}
                chosen={[]}
                onChange={([tag]) => {
                  if (tag) set({ tags: [...document.tags, tag] });
                  close();
                }}
              />
            </>
          )}
        </Choose>
        {document.tags.length > 0 ? <Rename tags={document.tags} /> : null}
      </div>
      <h3 className="label">{text.shelves.folderSet}</h3>
      <div className="row wrap">
        {folder === "" ? (
          <span className="small faint">{text.shelves.noFolder}</span>
        ) : (
          <button type="button" className="link small" onClick={() => onFilter({ folder })}>
            {folder}
          </button>
        )}
        <Choose label={text.shelves.move} chosen="">
          {(close) => (
            <Folder
              now={folder}
              onDone={(next) => {
                set({ folder: next });
                close();
              }}
            />
          )}
        </Choose>
      </div>
    </section>
  );
}

/** Call a tag by another name, wherever it stands. */
function Rename({ tags }: { tags: readonly string[] }) {
  const text = useText();
  const bulk = useBulk();
  const [tag, setTag] = useState(tags[0] ?? "");
  const [to, setTo] = useState("");
  return (
    <Choose label={text.shelves.renameTag} chosen="">
      {(close) => (
        <>
          {tags.length > 1 ? (
            <Options
              single
              empty=""
              options={tags.map((each) => ({ value: each, words: each }))}
              chosen={[tag]}
              onChange={([each]) => setTag(each ?? tag)}
            />
          ) : null}
          <form
            className="choose-form"
            onSubmit={(event) => {
              event.preventDefault();
              const name = to.trim();
              if (name !== "" && name !== tag)
                bulk.mutate({
                  chosen: { filter: { tag: [tag] } },
                  change: { add_tags: [name], remove_tags: [tag] },
                  sentence: (n) => text.shelves.renamed(name, n),
                });
              close();
            }}
          >
            <Field
              label={text.shelves.renameTo(tag)}
              value={to}
              onChange={(event) => setTo(event.target.value)}
            />
            <Button size="small" type="submit">
              {text.shelves.renameDo}
            </Button>
          </form>
        </>
      )}
    </Choose>
  );
}

function Members({ document }: { document: Document }) {
  const text = useText();
  const members = useMembers(document.id, true).data?.items ?? [];
  if (members.length === 0) return null;
  return (
    <section>
      <h3 className="label">{text.shelves.inIt(members.length)}</h3>
      <ul className="members">
        {members.map((member) => (
          <li key={member.id}>
            <Icon of={documentIcon(member.kind)} />
            <Link className="clip" href={`/library?id=${encodeURIComponent(member.id)}`}>
              {member.title}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
