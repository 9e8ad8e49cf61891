"use client";
import { LockKeyhole, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useFileText } from "@/lib/api/workspace";
import type { Workspace, WorkspaceFile } from "@/lib/api/types";
import { formatBytes, formatDate, useLanguage, useText } from "@/lib/i18n";
import { useFilesText } from "@/lib/i18n/files";
import { usePlacesText } from "@/lib/i18n/places";
import { Button, IconButton } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Meter } from "@/ui/meter";
import { useReturn } from "@/ui/return";
import { Trouble } from "@/ui/trouble";
import type { PlaceOfWords } from "../statements/panel";
import { Versions } from "./versions";
import { useUndoableWriting, WordsField } from "./writing";

/** What stands in every prompt. */
export const CORE = "memory.md";
/** More of a text than this is read as a source, not beside the list. */
const MOST_SHOWN = 8_000;
const MOST_LINE = 2_000;
const MOST_TEXT = 200_000;

interface FileProps {
  file: WorkspaceFile;
  core: Workspace["core"];
  onOpen: (place: PlaceOfWords) => void;
  onClose: () => void;
}

/** One file: what of it is in every prompt, how it reads, and what it said before. */
export function FilePanel({ file, core, onOpen, onClose }: FileProps) {
  const text = useText();
  const t = useFilesText();
  const places = usePlacesText();
  const language = useLanguage();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [file.path]);
  return (
    <div className="remembered">
      <header className="remembered-head">
        <p className="label num">
          {formatBytes(file.bytes, language)} · {t.files.read(formatDate(file.read_at, language))}
        </p>
        <IconButton icon={X} label={text.frame.close} onClick={onClose} />
      </header>
      <h2 className="file-name mono" ref={heading} tabIndex={-1}>
        {file.path}
      </h2>
      {file.private ? (
        <span className="chip file-private">
          <Icon of={LockKeyhole} />
          {places.common.private}
        </span>
      ) : null}
      {file.path === CORE ? <Core core={core} /> : null}
      <Reading key={file.path} file={file} onOpen={onOpen} />
      <Versions key={`versions ${file.path}`} path={file.path} />
    </div>
  );
}

/** What of `memory.md` is before the model whatever is asked. */
function Core({ core: { lines, tokens, most, left_out: out } }: { core: Workspace["core"] }) {
  const t = useFilesText();
  return (
    <section aria-label={t.files.always}>
      <h3 className="label">{t.files.always}</h3>
      {lines.length === 0 ? <p className="small mute">{t.files.none}</p> : null}
      <ul className="core-lines">
        {/* Lines of a file may say the same twice. */}
        {lines.map((line, at) => (
          <li key={`${at} ${line}`} className="own">
            {line}
          </li>
        ))}
      </ul>
      <Meter value={tokens / most} label={t.files.fill(tokens, most)} />
      <p className="tiny faint num">{t.files.fill(tokens, most)}</p>
      {out > 0 ? <p className="small num">{t.files.out(out)}</p> : null}
    </section>
  );
}

function Reading({ file, onOpen }: { file: WorkspaceFile; onOpen: FileProps["onOpen"] }) {
  const t = useFilesText();
  const query = useFileText(file.document, file.read_at);
  const [doing, setDoing] = useState<"" | "change" | "add">("");
  const change = useReturn(doing === "change");
  const add = useReturn(doing === "add");
  const { write, busy, error } = useUndoableWriting();
  const leave = (): void => setDoing("");
  const whole = query.data;
  return (
    <section aria-label={t.files.text}>
      <h3 className="label">{t.files.text}</h3>
      {query.isError && whole === undefined ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : whole === undefined ? (
        <Loading words={t.files.reading} lines={4} />
      ) : doing === "change" ? (
        <WordsField
          label={t.files.changeLabel}
          action={t.files.changeDo}
          said={whole}
          rows={8}
          maxLength={MOST_TEXT}
          busy={busy}
          onLeave={leave}
          onWrite={(words) =>
            write(
              { how: "replace", path: file.path, old: whole, new: words },
              t.files.changed,
              leave,
            )
          }
        />
      ) : (
        <>
          <div className="file-text own">{whole.slice(0, MOST_SHOWN)}</div>
          {whole.length > MOST_SHOWN ? (
            <p className="tiny faint num">{t.files.cut(whole.length - MOST_SHOWN)}</p>
          ) : null}
          {doing === "add" ? (
            <WordsField
              label={t.files.add}
              action={t.files.addDo}
              maxLength={MOST_LINE}
              busy={busy}
              onLeave={leave}
              onWrite={(words) =>
                write({ how: "append", path: file.path, text: words.trim() }, t.files.added, leave)
              }
            />
          ) : (
            <div className="remembered-acts">
              <Button size="small" tone="quiet" ref={add} onClick={() => setDoing("add")}>
                {t.files.add}
              </Button>
              <Button
                size="small"
                tone="quiet"
                ref={change}
                disabled={whole.length > MOST_TEXT}
                onClick={() => setDoing("change")}
              >
                {t.files.change}
              </Button>
              <Button
                size="small"
                tone="quiet"
                onClick={() => onOpen({ document: file.document, start: 0, end: 0 })}
              >
                {t.files.open}
              </Button>
            </div>
          )}
        </>
      )}
      {error === null ? null : <Trouble error={error} />}
    </section>
  );
}
