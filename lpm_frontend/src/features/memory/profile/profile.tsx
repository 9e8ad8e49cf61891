"use client";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useRef, useState } from "react";
import { useChangeLine, useProfile, useUndoChange, type LineChange } from "@/lib/api/profile";
import type { Profile } from "@/lib/api/types";
import { useCommand } from "@/lib/commands";
import { useProfileText } from "@/lib/i18n/profile";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { Margin } from "@/ui/margin";
import { Trouble } from "@/ui/trouble";
import { MemoryBar } from "../tabs";
import { profileHref, type ProfileWish } from "../views";
import { calledOf } from "./called";
import { CountedLine } from "./line";
import { Bars, Overview } from "./months";

const KINDS = ["topic", "person", "place", "asked"] as const;
/** Lines of a kind that are shown at first, and that are fetched. */
const FIRST = 10;
const MOST = 300;

/** What the person speaks of in their chats, of whom, and whom they ask, by months. */
export function ProfileView({ wish }: { wish: ProfileWish }) {
  const t = useProfileText();
  const router = useRouter();
  const query = useProfile(MOST);
  const change = useChangeLine();
  const { mutate: undo } = useUndoChange();
  const whole = useRef<HTMLDivElement>(null);
  const close = useCallback(
    () => router.replace(profileHref({ line: "" }), { scroll: false }),
    [router],
  );
  useCommand(
    "stop",
    useCallback(() => {
      if (wish.line !== "") close();
    }, [close, wish.line]),
  );
  useCommand(
    "step",
    useCallback(({ by }: { by: 1 | -1 }) => {
      const links = [...(whole.current?.querySelectorAll<HTMLElement>("a.profile-row") ?? [])];
      const at = links.findIndex((link) => link === document.activeElement);
      links[Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
    }, []),
  );
  const say = (wanted: LineChange, sentence: string): Promise<unknown> => {
    const done = change.mutateAsync(wanted);
    offerUndoWhen(done, ({ id }) => ({ sentence, undo: () => undo(id) }));
    return done.catch(() => undefined);
  };
  const profile = query.data;
  const chosen = profile
    ? [...profile.lines, ...profile.hidden].find((line) => line.id === wish.line)
    : undefined;
  return (
    <>
      <MemoryBar view="profile" />
      <div className="cols">
        <div className="main" ref={whole}>
          {query.isError && !profile ? (
            <Trouble error={query.error} onRetry={() => void query.refetch()} />
          ) : profile === undefined ? (
            <Loading words={t.loading} lines={6} />
          ) : profile.turns === 0 ? (
            <Empty title={t.empty}>
              <p className="mute">{t.emptyHint}</p>
              <Link className="btn" href="/">
                {t.chat}
              </Link>
            </Empty>
          ) : (
            <Whole
              profile={profile}
              open={wish.line}
              onShow={(line) => void say({ line, change: { hidden: false } }, t.shown)}
            />
          )}
        </div>
        <Margin label={t.one} open={chosen !== undefined} onClose={close}>
          {chosen && profile ? (
            <CountedLine
              key={chosen.id}
              line={chosen}
              profile={profile}
              busy={change.isPending}
              error={change.error}
              onChange={say}
              onClose={close}
            />
          ) : profile === undefined || profile.turns === 0 ? null : (
            <p className="profile-none small faint">{wish.line === "" ? t.choose : t.lost}</p>
          )}
        </Margin>
      </div>
    </>
  );
}

function Whole({
  profile,
  open,
  onShow,
}: {
  profile: Profile;
  open: string;
  onShow: (line: string) => void;
}) {
  const t = useProfileText();
  return (
    <div className="profile">
      <p className="profile-lead">
        {t.lead(profile.turns)} <span className="mute">{t.only}</span>
      </p>
      <Overview months={profile.months} values={profile.by_month} />
      <div className="profile-kinds">
        {KINDS.map((kind) => (
          <Lines key={kind} kind={kind} profile={profile} open={open} />
        ))}
      </div>
      {profile.hidden.length === 0 ? null : (
        <details className="profile-hidden">
          <summary className="small">{t.hidden(profile.hidden.length)}</summary>
          <ul>
            {profile.hidden.map((line) => (
              <li key={line.id}>
                <span className="own">{calledOf(line, t)}</span>
                <span className="tiny faint num">{t.count(line.count)}</span>
                <Button size="small" tone="quiet" onClick={() => onShow(line.id)}>
                  {t.show}
                </Button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Lines({
  kind,
  profile,
  open,
}: {
  kind: (typeof KINDS)[number];
  profile: Profile;
  open: string;
}) {
  const t = useProfileText();
  const [all, setAll] = useState(false);
  const lines = profile.lines.filter((line) => line.kind === kind);
  const shown = all ? lines : lines.slice(0, FIRST);
  const most = Math.max(1, ...shown.flatMap((line) => line.months));
  const shares = new Map(profile.vector.map((each) => [each.line, each.share]));
  return (
    <section className="profile-kind" aria-label={t.lines.kinds[kind]}>
      <h2>{t.lines.kinds[kind]}</h2>
      {lines.length === 0 ? <p className="small faint">{t.lines.none[kind]}</p> : null}
      <ul>
        {shown.map((line) => (
          <li key={line.id}>
            <Link
              className="profile-row"
              href={profileHref({ line: line.id })}
              replace={open !== ""}
              scroll={false}
              aria-current={line.id === open ? "true" : undefined}
            >
              <span className="own profile-name">{calledOf(line, t)}</span>
              {line.pinned ? <span className="tiny profile-pinned">{t.pinned}</span> : null}
              <Bars values={line.months} most={most} />
              <span className="num profile-count">
                {line.count.toLocaleString()}
                <span className="sr"> {t.count(line.count)}</span>
              </span>
              <Share share={shares.get(line.id)} />
            </Link>
          </li>
        ))}
      </ul>
      {lines.length > shown.length ? (
        <Button size="small" tone="quiet" onClick={() => setAll(true)}>
          {t.more(lines.length - shown.length)}
        </Button>
      ) : null}
      {kind === "topic" && profile.vector.length > 1 ? (
        <p className="tiny faint">{t.shareHint}</p>
      ) : null}
    </section>
  );
}

function Share({ share }: { share: number | undefined }) {
  const t = useProfileText();
  if (share === undefined) return <span className="profile-share" />;
  const written = `${String(Math.round(100 * share))} %`;
  return (
    <span className="profile-share tiny faint num" title={t.share(written)}>
      {written}
    </span>
  );
}
