"use client";
/**
 * Which version of a document is open: how many there are and what changed in each, a way back to
 * an older one, and the question whether what came alone is one.
 */
import Link from "next/link";
import { useState } from "react";
import type { Document, Version } from "@/lib/api/types";
import {
  useAddVersion,
  useDocumentDiff,
  useDocumentVersions,
  useSetApart,
  useUseAgain,
} from "@/lib/api/versions";
import { formatDate, formatTime, useLanguage, useText } from "@/lib/i18n";
import { useVersionsText } from "@/lib/i18n/versions";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Diff } from "@/ui/diff";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";

/** A version is opened by its number, so that it is not taken for a link to the document. */
const hrefOf = (id: string, version?: number): string =>
  `/library?id=${encodeURIComponent(id)}${version === undefined ? "" : `&version=${version}`}`;

/** The line below the title of a document that has versions, or may be one. */
export function VersionLine({ document }: { document: Document }) {
  const t = useVersionsText();
  const text = useText();
  const language = useLanguage();
  const [dialog, setDialog] = useState<"list" | "since" | null>(null);
  const close = (): void => setDialog(null);
  const versions = document.versions ?? 1;
  const present = document.superseded_by ?? null;
  return (
    <>
      {present === null ? null : (
        <p className="source-older" role="note">
          <span>{t.older}</span>{" "}
          <button type="button" className="link" onClick={() => setDialog("since")}>
            {t.see}
          </button>{" "}
          <Link className="link" href={hrefOf(present)}>
            {t.present}
          </Link>
        </p>
      )}
      {versions > 1 ? (
        <p className="source-facts">
          <button type="button" className="link num" onClick={() => setDialog("list")}>
            {t.which(document.version ?? 1, versions)} · {formatDate(document.added_at, language)}
          </button>
        </p>
      ) : null}
      {document.same_name ? <Question document={document} there={document.same_name.id} /> : null}
      <Dialog
        open={dialog === "list"}
        onClose={close}
        title={t.title}
        closeLabel={text.frame.close}
        shape="wide"
      >
        <List document={document} onDone={close} />
      </Dialog>
      <Dialog
        open={dialog === "since"}
        onClose={close}
        title={t.since}
        closeLabel={text.frame.close}
        shape="wide"
      >
        <Changed id={present ?? document.id} before={document.id} label={t.since} />
      </Dialog>
    </>
  );
}

/** Two files of one name are one that changed, or two: only the person knows. */
function Question({ document, there }: { document: Document; there: string }) {
  const t = useVersionsText();
  const add = useAddVersion();
  const apart = useSetApart();
  const trouble = add.error ?? apart.error;
  const isNew = (): void =>
    offerUndoWhen(add.mutateAsync({ id: there, document: document.id }), () => ({
      sentence: t.joined,
      undo: () => apart.mutate(document.id),
    }));
  return (
    <div className="source-older" role="group" aria-label={t.askTitle(document.name)}>
      <p>
        {t.askTitle(document.name)} {t.askMeans}{" "}
        <Link className="link" href={hrefOf(there)}>
          {t.askOpen}
        </Link>
      </p>
      <div className="versions-acts">
        <Button size="small" tone="quiet" disabled={add.isPending} onClick={isNew}>
          {t.askNew}
        </Button>
        <Button
          size="small"
          tone="quiet"
          disabled={apart.isPending}
          onClick={() => apart.mutate(document.id)}
        >
          {t.askOther}
        </Button>
      </div>
      {trouble ? <Trouble error={trouble} /> : null}
    </div>
  );
}

/** Every version, the newest first. */
function List({ document, onDone }: { document: Document; onDone: () => void }) {
  const t = useVersionsText();
  const query = useDocumentVersions(document.id);
  const [shown, setShown] = useState("");
  const versions = query.data?.items ?? [];
  if (query.isError && !query.data)
    return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Loading words={t.loading} lines={3} />;
  return (
    <ol className="versions">
      {versions.map((version) => (
        <Row
          key={version.document}
          version={version}
          present={versions[0]?.document ?? document.id}
          shown={shown === version.document}
          onShow={() => setShown(shown === version.document ? "" : version.document)}
          onDone={onDone}
        />
      ))}
    </ol>
  );
}

interface RowProps {
  version: Version;
  /** The document as it reads now. */
  present: string;
  shown: boolean;
  onShow: () => void;
  onDone: () => void;
}

function Row({ version, present, shown, onShow, onDone }: RowProps) {
  const t = useVersionsText();
  const language = useLanguage();
  const again = useUseAgain();
  const apart = useSetApart();
  const add = useAddVersion();
  const { document, number } = version;
  const trouble = again.error ?? apart.error ?? add.error;
  const reuse = (): void =>
    offerUndoWhen(again.mutateAsync({ id: present, version: document }), (made) => ({
      sentence: t.used(number),
      undo: () => again.mutate({ id: made.document.id, version: present }),
    }));
  const split = (): void =>
    offerUndoWhen(apart.mutateAsync(document), ({ items }) => ({
      sentence: t.apartDone,
      undo: () => {
        const before = items.find((each) => each.id !== document);
        if (before) add.mutate({ id: before.id, document: present });
      },
    }));
  return (
    <li>
      <p className="versions-head small">
        <span className="num">{t.number(number)}</span>
        <span className="tiny faint num">
          {formatDate(version.at, language)} {formatTime(version.at, language)}
        </span>
        {version.current ? <span className="tiny faint">{t.now}</span> : null}
      </p>
      <div className="versions-acts">
        <Button size="small" tone="quiet" aria-expanded={shown} onClick={onShow}>
          {t.what}
        </Button>
        <Link
          className="link small versions-read"
          href={hrefOf(document, version.current ? undefined : number)}
          onClick={onDone}
        >
          {t.open}
        </Link>
        {version.current ? null : (
          <Button size="small" tone="quiet" disabled={again.isPending} onClick={reuse}>
            {t.useAgain}
          </Button>
        )}
        {number > 1 ? (
          <Button
            size="small"
            tone="quiet"
            title={t.apartMeans}
            disabled={apart.isPending}
            onClick={split}
          >
            {t.apart}
          </Button>
        ) : null}
      </div>
      {trouble ? <Trouble error={trouble} /> : null}
      {shown ? (
        number === 1 ? (
          <p className="small mute">{t.first}</p>
        ) : (
          <Changed id={document} label={t.diff(number)} />
        )
      ) : null}
    </li>
  );
}

function Changed({ id, before = "", label }: { id: string; before?: string; label: string }) {
  const t = useVersionsText();
  const query = useDocumentDiff(id, before);
  if (query.data) return <Diff lines={query.data.lines} label={label} />;
  return query.isError ? (
    <Trouble error={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Loading words={t.loading} lines={3} />
  );
}
