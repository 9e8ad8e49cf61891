"use client";
import { X } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useCounted, type LineChange } from "@/lib/api/profile";
import type { Profile, ProfileLine } from "@/lib/api/types";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { useProfileText } from "@/lib/i18n/profile";
import { Button, IconButton } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Loading } from "@/ui/faces";
import { Field } from "@/ui/field";
import { useReturn } from "@/ui/return";
import { Trouble } from "@/ui/trouble";
import { pagesHref } from "../views";
import { calledOf } from "./called";
import { Months } from "./months";

interface CountedLineProps {
  line: ProfileLine;
  profile: Profile;
  busy: boolean;
  error: unknown;
  onChange: (wanted: LineChange, sentence: string) => Promise<unknown>;
  onClose: () => void;
}

/** A line of the profile: its months, what can be done with it, and every turn that it counts. */
export function CountedLine({ line, profile, busy, error, onChange, onClose }: CountedLineProps) {
  const t = useProfileText();
  const name = calledOf(line, t);
  return (
    <article className="remembered profile-one" aria-label={name}>
      <header className="remembered-head">
        <h2 className="own">{name}</h2>
        <IconButton icon={X} label={t.close} onClick={onClose} />
      </header>
      <p className="small mute num">
        {t.lines.kinds[line.kind]} · {t.count(line.count)}
      </p>
      <Months
        label={t.months}
        months={profile.months}
        values={line.months}
        most={Math.max(...line.months, 1)}
        words={t.month}
      />
      {line.depth.length < 2 ? null : (
        <section aria-label={t.depth}>
          <h3 className="label">{t.depth}</h3>
          <Months
            label={t.depth}
            months={profile.months}
            values={line.depth}
            most={1}
            words={(when, depth) => t.depthAt(when, depth.toFixed(2))}
            line
          />
          <p className="tiny faint">{t.depthHint}</p>
        </section>
      )}
      <Acts line={line} profile={profile} busy={busy} onChange={onChange} onClose={onClose} />
      {error === null ? null : <Trouble error={error} />}
      {line.merged.length === 0 ? null : (
        <section aria-label={t.also}>
          <h3 className="label">{t.also}</h3>
          <ul className="profile-merged">
            {line.merged.map((each) => (
              <li key={each.id}>
                <span className="own">{each.name}</span>
                <span className="tiny faint num">{t.count(each.count)}</span>
                <Button
                  size="small"
                  tone="quiet"
                  disabled={busy}
                  onClick={() => void onChange({ line: each.id, change: { into: "" } }, t.parted)}
                >
                  {t.apart}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Turns line={line} />
    </article>
  );
}

type ActsProps = Omit<CountedLineProps, "error">;

function Acts({ line, profile, busy, onChange, onClose }: ActsProps) {
  const t = useProfileText();
  const [doing, setDoing] = useState<"" | "rename" | "merge">("");
  const back = useReturn(doing === "rename");
  const leave = (): void => setDoing("");
  if (doing === "rename")
    return (
      <Rename
        line={line}
        busy={busy}
        onLeave={leave}
        onRename={(name) =>
          void onChange({ line: line.id, change: { name } }, t.renamed).then(leave)
        }
      />
    );
  return (
    <div className="entity-acts">
      <Button size="small" tone="quiet" ref={back} onClick={() => setDoing("rename")}>
        {t.rename}
      </Button>
      {line.kind === "asked" ? null : (
        <Button size="small" tone="quiet" onClick={() => setDoing("merge")}>
          {t.merge}
        </Button>
      )}
      <Button
        size="small"
        tone="quiet"
        disabled={busy}
        onClick={() =>
          void onChange(
            { line: line.id, change: { pinned: !line.pinned } },
            line.pinned ? t.wasUnpinned : t.wasPinned,
          )
        }
      >
        {line.pinned ? t.unpin : t.pin}
      </Button>
      <Button
        size="small"
        tone="quiet"
        disabled={busy}
        onClick={() =>
          void onChange(
            { line: line.id, change: { hidden: !line.hidden } },
            line.hidden ? t.shown : t.wasHidden,
          ).then(onClose)
        }
      >
        {line.hidden ? t.show : t.hide}
      </Button>
      {line.slug === null || line.slug === undefined ? null : (
        <Link className="link small" href={pagesHref({ slug: line.slug, kind: "" })}>
          {t.page}
        </Link>
      )}
      <Merge
        line={line}
        profile={profile}
        open={doing === "merge"}
        busy={busy}
        onLeave={leave}
        onMerge={(into) =>
          void onChange({ line: line.id, change: { into } }, t.merged).then(onClose)
        }
      />
    </div>
  );
}

function Rename({
  line,
  busy,
  onLeave,
  onRename,
}: {
  line: ProfileLine;
  busy: boolean;
  onLeave: () => void;
  onRename: (name: string) => void;
}) {
  const t = useProfileText();
  const [wanted, setWanted] = useState(line.name);
  const clean = wanted.trim();
  return (
    <form
      className="entity-rename"
      onSubmit={(event) => {
        event.preventDefault();
        if (clean !== line.name) onRename(clean);
      }}
    >
      {/* One pressed "Rename" to write here. */}
      <Field
        label={t.name}
        hint={line.written === "" ? "" : t.nameHint(line.written)}
        voice="own"
        value={wanted}
        maxLength={120}
        ref={(field) => field?.focus({ preventScroll: true })}
        onChange={(event) => setWanted(event.target.value)}
      />
      <div className="entity-rename-acts">
        <Button size="small" type="submit" tone="ink" disabled={busy || clean === line.name}>
          {t.renameDo}
        </Button>
        <Button size="small" tone="quiet" onClick={onLeave}>
          {t.leave}
        </Button>
      </div>
    </form>
  );
}

function Merge({
  line,
  profile,
  open,
  busy,
  onLeave,
  onMerge,
}: {
  line: ProfileLine;
  profile: Profile;
  open: boolean;
  busy: boolean;
  onLeave: () => void;
  onMerge: (into: string) => void;
}) {
  const text = useText();
  const t = useProfileText();
  const [words, setWords] = useState("");
  const [into, setInto] = useState("");
  const typed = words.trim().toLowerCase();
  const others = profile.lines
    .filter((each) => each.kind === line.kind && each.id !== line.id)
    .filter((each) => each.name.toLowerCase().includes(typed) || each.id === into)
    .slice(0, 12);
  return (
    <Dialog
      open={open}
      onClose={onLeave}
      title={t.mergeTitle(calledOf(line, t))}
      closeLabel={text.frame.close}
    >
      <p className="small mute">{t.mergeHint}</p>
      <Field
        label={t.mergeFind}
        className="quiet-label"
        type="search"
        placeholder={t.mergeFind}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {others.length === 0 ? <p className="small faint">{t.mergeNone}</p> : null}
      <ul className="entity-choice">
        {others.map((each) => (
          <li key={each.id}>
            <label>
              <input
                type="radio"
                name="into"
                checked={each.id === into}
                onChange={() => setInto(each.id)}
              />
              <span className="own">{each.name}</span>
              <span className="tiny faint num">{t.count(each.count)}</span>
            </label>
          </li>
        ))}
      </ul>
      <div className="dialog-acts">
        <Button tone="ink" disabled={busy || into === ""} onClick={() => onMerge(into)}>
          {t.merge}
        </Button>
      </div>
    </Dialog>
  );
}

/** Where each was said: the link opens the chat there. */
function Turns({ line }: { line: ProfileLine }) {
  const t = useProfileText();
  const language = useLanguage();
  const query = useCounted(line.id);
  const turns = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-label={t.turns}>
      <h3 className="label">{t.turns}</h3>
      {query.isError && !query.data ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading words={t.loadingTurns} lines={3} />
      ) : (
        <ul className="profile-turns">
          {turns.map((turn) => (
            <li key={turn.turn}>
              <Link
                href={`/?id=${encodeURIComponent(turn.conversation)}&turn=${encodeURIComponent(turn.turn)}`}
              >
                <span className="own">{turn.text}</span>
                <span className="tiny faint num">
                  {formatDate(turn.at, language)} ·{" "}
                  {t.turn(turn.title === "" ? t.untitled : turn.title, turn.number)}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {query.hasNextPage ? (
        <Button
          size="small"
          tone="quiet"
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t.moreTurns}
        </Button>
      ) : null}
    </section>
  );
}
