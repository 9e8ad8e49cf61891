"use client";
import { useState } from "react";
import { useDiff, useGoBack, useVersions, useWriting } from "@/lib/api/workspace";
import type { Version } from "@/lib/api/types";
import { formatDate, formatTime, useLanguage } from "@/lib/i18n";
import { useFilesText } from "@/lib/i18n/files";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Diff } from "@/ui/diff";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";

/** Every wording of a file, the newest first, with what each changed and a way back to it. */
export function Versions({ path }: { path: string }) {
  const t = useFilesText();
  const language = useLanguage();
  const query = useVersions(path);
  const writing = useWriting();
  const { mutate: goBack } = useGoBack();
  const [shown, setShown] = useState(0);
  const versions = query.data?.items ?? [];
  const restore = ({ document }: Version): void =>
    offerUndoWhen(writing.mutateAsync({ how: "restore", path, version: document }), (made) => ({
      sentence: t.versions.restored,
      undo: () => goBack(made),
    }));
  return (
    <section aria-label={t.versions.title}>
      <h3 className="label">{t.versions.title}</h3>
      {query.isError && !query.data ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading words={t.versions.loading} lines={2} />
      ) : (
        <ol className="versions">
          {versions.map((version) => (
            <li key={version.number}>
              <p className="versions-head small">
                <span className="num">{t.versions.number(version.number)}</span>
                <span className="tiny faint num">
                  {version.current
                    ? t.versions.now
                    : `${formatDate(version.at, language)} ${formatTime(version.at, language)}`}
                </span>
              </p>
              <div className="versions-acts">
                <Button
                  size="small"
                  tone="quiet"
                  aria-expanded={shown === version.number}
                  onClick={() => setShown(shown === version.number ? 0 : version.number)}
                >
                  {t.versions.what}
                </Button>
                {version.current ? null : (
                  <Button
                    size="small"
                    tone="quiet"
                    disabled={writing.isPending}
                    onClick={() => restore(version)}
                  >
                    {t.versions.restore}
                  </Button>
                )}
              </div>
              {shown === version.number ? (
                <Changed
                  path={path}
                  version={version}
                  before={versions.find(({ number }) => number === version.number - 1)}
                />
              ) : null}
            </li>
          ))}
        </ol>
      )}
      {writing.isError ? <Trouble error={writing.error} /> : null}
    </section>
  );
}

function Changed({
  path,
  version,
  before,
}: {
  path: string;
  version: Version;
  before: Version | undefined;
}) {
  const t = useFilesText();
  return before ? (
    <Between
      path={path}
      before={before.document}
      after={version.document}
      label={t.versions.diff(version.number)}
    />
  ) : (
    <p className="small mute">{t.versions.first}</p>
  );
}

function Between({
  path,
  before,
  after,
  label,
}: {
  path: string;
  before: string;
  after: string;
  label: string;
}) {
  const t = useFilesText();
  const query = useDiff(path, before, after);
  if (query.data) return <Diff lines={query.data.lines} label={label} />;
  return query.isError ? (
    <Trouble error={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Loading words={t.versions.loading} lines={3} />
  );
}
