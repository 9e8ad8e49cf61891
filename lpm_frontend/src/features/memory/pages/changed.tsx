"use client";
import { ArrowLeft, RotateCcw } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useDiff, useRestore } from "@/lib/api/reflections";
import { useLivesText } from "@/lib/i18n/lives";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Trouble } from "@/ui/trouble";
import { biographyHref, type BiographyWish } from "../views";

/** What a version changed, line by line, and the way back to it. */
export function Changed({ wish, current }: { wish: BiographyWish; current: number }) {
  const t = useLivesText();
  const router = useRouter();
  const diff = useDiff(wish.version);
  const restore = useRestore();
  const back = biographyHref({ ...wish, version: 0, topic: "" });
  const lines = (diff.data?.lines ?? []).filter(
    (line) => line.part === "added" || line.part === "removed",
  );
  const words = (line: string): string =>
    line.replace(/ \^r[0-9a-f]{12}\s*$/u, "").replace(/^- /u, "");
  return (
    <article className="life-page" aria-label={t.biography.changes(wish.version)}>
      <p className="life-tools">
        <Link className="beside-back small always" href={back} replace>
          <Icon of={ArrowLeft} />
          {t.biography.back}
        </Link>
        {wish.version === current || current === 0 ? null : (
          <Button
            size="small"
            icon={RotateCcw}
            disabled={restore.isPending}
            onClick={() =>
              offerUndoWhen(
                restore.mutateAsync(wish.version, {
                  onSuccess: () => router.replace(back, { scroll: false }),
                }),
                () => ({ sentence: t.biography.restored, undo: () => restore.mutate(current) }),
              )
            }
          >
            {t.biography.restore(wish.version)}
          </Button>
        )}
      </p>
      <h2>{t.biography.changes(wish.version)}</h2>
      {restore.isError ? <Trouble error={restore.error} /> : null}
      {diff.isError ? (
        <Trouble error={diff.error} onRetry={() => void diff.refetch()} />
      ) : diff.data === undefined ? (
        <Loading words={t.biography.loading} lines={4} />
      ) : lines.length === 0 ? (
        <p className="mute">{t.biography.same}</p>
      ) : (
        <ul className="life-diff">
          {lines
            .filter((line) => line.text.trim() !== "")
            .map((line) => (
              <li
                key={`${line.part} ${String(line.before)} ${String(line.after)}`}
                className={line.part}
              >
                <span className="sr">
                  {line.part === "added" ? t.biography.added : t.biography.removed}:{" "}
                </span>
                <span aria-hidden="true">{line.part === "added" ? "+" : "−"}</span>
                {line.part === "added" ? (
                  <ins className="own">{words(line.text)}</ins>
                ) : (
                  <del className="own">{words(line.text)}</del>
                )}
              </li>
            ))}
        </ul>
      )}
    </article>
  );
}
