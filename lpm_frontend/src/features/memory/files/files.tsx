"use client";
import { LockKeyhole } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useState } from "react";
import { useWorkspace } from "@/lib/api/workspace";
import type { WorkspaceFile } from "@/lib/api/types";
import { formatDate, useLanguage } from "@/lib/i18n";
import { useFilesText } from "@/lib/i18n/files";
import { usePlacesText } from "@/lib/i18n/places";
import { Empty, Loading } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Margin } from "@/ui/margin";
import { Trouble } from "@/ui/trouble";
import { useOpened, useSteps, type ReaderOf } from "../beside";
import { CORE, FilePanel } from "./file";
import { MemoryBar } from "../tabs";
import { filesHref, type FilesWish } from "../views";
import { useUndoableWriting, WordsField } from "./writing";

/** `memory.md`, which is in every prompt, before the others by name. */
const inOrder = (files: readonly WorkspaceFile[]): readonly WorkspaceFile[] =>
  files.toSorted(
    (a, b) => Number(b.path === CORE) - Number(a.path === CORE) || a.path.localeCompare(b.path),
  );

/** The files of the workspace, and one of them beside the list. */
export function Files({ wish: { path }, reader }: { wish: FilesWish; reader: ReaderOf }) {
  const t = useFilesText();
  const router = useRouter();
  const query = useWorkspace();
  const list = useSteps<HTMLUListElement>();
  const close = useCallback(
    () => router.replace(filesHref({ path: "" }), { scroll: false }),
    [router],
  );
  const opened = useOpened(path, close);
  const files = inOrder(query.data?.files ?? []);
  const file = files.find((each) => each.path === path);
  return (
    <>
      <MemoryBar view="files" />
      <div className="cols">
        <div className="main">
          {query.isError && !query.data ? (
            <Trouble error={query.error} onRetry={() => void query.refetch()} />
          ) : query.data === undefined ? (
            <Loading words={t.files.loading} lines={6} />
          ) : (
            <>
              {files.length === 0 ? (
                <Empty title={t.files.empty}>
                  <p className="mute">{t.files.emptyHint}</p>
                  <First />
                </Empty>
              ) : (
                <>
                  <div className="memory-head">
                    <p className="sum num" role="status">
                      {t.files.count(files.length)} {t.files.folder(query.data.folder)}
                    </p>
                  </div>
                  {files.some((each) => each.path === CORE) ? null : <First />}
                  <ul className="pages-list" aria-label={t.files.list} ref={list}>
                    {files.map((each) => (
                      <Row key={each.path} file={each} open={each.path === path} />
                    ))}
                  </ul>
                </>
              )}
              <Named title={t.files.troubles} lines={query.data.troubles} />
              <Named title={t.files.unread} lines={query.data.unread} />
            </>
          )}
        </div>
        <Margin label={t.files.one} open={path !== ""} onClose={opened.place ? opened.shut : close}>
          {opened.place ? (
            reader(opened.place, opened.shut)
          ) : file && query.data ? (
            <FilePanel
              key={file.path}
              file={file}
              core={query.data.core}
              onOpen={opened.open}
              onClose={close}
            />
          ) : path !== "" && query.data ? (
            <Empty title={t.files.lost}>
              <p className="mute">{t.files.lostHint}</p>
            </Empty>
          ) : files.length > 0 ? (
            <p className="margin-hint small faint">{t.files.choose}</p>
          ) : null}
        </Margin>
      </div>
    </>
  );
}

/** What could not be read, line by line; nothing where all could. */
function Named({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section className="files-troubles small" aria-label={title}>
      <h2 className="label">{title}</h2>
      <ul className="mono">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

function Row({ file, open }: { file: WorkspaceFile; open: boolean }) {
  const t = useFilesText();
  const places = usePlacesText();
  const language = useLanguage();
  return (
    <li className="page-row file-row" data-open={open}>
      <Link
        className="mono"
        href={filesHref({ path: file.path })}
        replace={open}
        aria-current={open ? "true" : undefined}
      >
        {file.path}
      </Link>
      <span className="tiny faint">
        {file.path === CORE ? (
          t.files.always
        ) : file.private ? (
          <>
            <Icon of={LockKeyhole} /> {places.common.private}
          </>
        ) : null}
      </span>
      <span className="tiny faint num">{t.files.versions(file.versions)}</span>
      <span className="tiny faint num">{formatDate(file.read_at, language)}</span>
    </li>
  );
}

/** Begin `memory.md`. */
function First() {
  const t = useFilesText();
  const [writing, setWriting] = useState(false);
  const { write, busy, error } = useUndoableWriting();
  return (
    <div className="files-first">
      {writing ? (
        <WordsField
          label={t.files.first}
          action={t.files.addDo}
          maxLength={2_000}
          busy={busy}
          onLeave={() => setWriting(false)}
          onWrite={(words) =>
            write({ how: "append", path: CORE, text: words.trim() }, t.files.added, () =>
              setWriting(false),
            )
          }
        />
      ) : (
        <button type="button" className="btn plain usual" onClick={() => setWriting(true)}>
          {t.files.first}: <span className="mono">{CORE}</span>
        </button>
      )}
      {error === null ? null : <Trouble error={error} />}
    </div>
  );
}
