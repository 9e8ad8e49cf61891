"use client";
import { Download, Flag, Pause, Play, Send, Trash2, X } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState, type SyntheticEvent } from "react";
import { NodeProblem } from "@/lib/api/client";
import {
  isComing,
  tableExportHref,
  useAtTable,
  useTable,
  useTables,
  useWatchedTable,
} from "@/lib/api/discussions";
import type { DiscussionDetail, TableMember } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { useTableText } from "@/lib/i18n/table";
import { useMedia, WIDE } from "@/lib/media";
import { offerUndoWhen } from "@/lib/undo";
import { Bar } from "@/ui/bar";
import { Button, IconButton } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Empty, Loading } from "@/ui/faces";
import { Area } from "@/ui/field";
import { Icon } from "@/ui/icon";
import { Trouble } from "@/ui/trouble";
import { Beside } from "./beside";
import { Entry, memberOf } from "./entry";
import { Invitation } from "./invitation";
import { isMe, ME, MemberSeal, nameOf } from "./members";
import { isGuest, isShared, standing, whyOf } from "./views";

/** One table: who sits there, what is said, and what it rests on. */
export function OneTable({ id }: { id: string }) {
  const text = useText();
  const t = useTableText();
  const query = useTable(id);
  const silent = useWatchedTable(id, query.isSuccess && query.data.state !== "closed");
  if (query.isSuccess) return <Whole table={query.data} silent={silent} />;
  const lost = query.error instanceof NodeProblem && query.error.status === 404;
  return (
    <>
      <Bar title={text.places.table} />
      <div className="main">
        {query.isPending ? <Loading words={t.play.loading} lines={4} /> : null}
        {lost ? (
          <Empty title={t.list.lost}>
            <Link className="link" href="/table">
              {t.list.all}
            </Link>
          </Empty>
        ) : query.isError ? (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        ) : null}
      </div>
    </>
  );
}

interface Answering {
  readonly n: number;
  readonly stance: "agrees" | "disagrees";
}

function Whole({ table, silent }: { table: DiscussionDetail; silent: boolean }) {
  const text = useText();
  const t = useTableText();
  const wide = useMedia(WIDE);
  const acts = useAtTable(table.id);
  const [answering, setAnswering] = useState<Answering | null>(null);
  const closed = table.state === "closed";
  const guest = isGuest(table);
  const silenced = guest && table.invitation !== "accepted";
  const trouble = Object.values(acts).find((each) => each.isError);
  const keep = (n: number, kept: boolean): void =>
    kept
      ? offerUndoWhen(acts.keep.mutateAsync(n), () => ({
          sentence: t.play.keptSentence,
          undo: () => acts.letGo.mutate(n),
        }))
      : acts.letGo.mutate(n);
  return (
    <>
      <Bar title={text.places.table}>
        <span className="chip num">{t.round(table.round, table.rounds)}</span>
        <span className="chip where-wide">{t.strategies[table.strategy]}</span>
        <span className="chip where-wide">{standing(table, t)}</span>
        <Tools id={table.id} onRemove={() => acts.remove.mutateAsync()} />
      </Bar>
      <div className="cols">
        <div className="main at-table">
          <h2 className="table-question">{table.aim === "" ? t.list.struck : table.aim}</h2>
          <Seats table={table} onLeave={(member) => acts.leave.mutate(member)} />
          {guest ? <Invitation table={table} /> : null}
          <ol className="play" aria-label={t.play.label} aria-live="polite">
            {table.items.map((entry) => (
              <Entry
                key={entry.n}
                table={table}
                entry={entry}
                onStrike={(n) => acts.strike.mutate(n)}
                onKeep={keep}
                onAnswer={closed || silenced ? null : (n, stance) => setAnswering({ n, stance })}
              />
            ))}
            {(table.unsaid ?? []).map((words, at) => (
              <li className="spoken" key={`unsaid-${String(at)}`}>
                <p className="spoken-name person">
                  {t.you}
                  <small>{t.guest.unsaid(table.host_name ?? "")}</small>
                </p>
                <div className="spoken-words">
                  <p className="own mute">{words}</p>
                </div>
              </li>
            ))}
          </ol>
          <Now table={table} silent={silent} />
          {trouble?.error ? <Trouble error={trouble.error} /> : null}
          {wide ? null : <Beside table={table} />}
          {closed ? (
            <p className="table-dock mute small">
              {t.dock.closed}{" "}
              <Link className="link" href="/table">
                {t.dock.another}
              </Link>
            </p>
          ) : silenced ? null : (
            <Speak table={table} answering={answering} onAnswering={setAnswering} acts={acts} />
          )}
        </div>
        {wide ? (
          <aside className="margin" aria-label={t.beside.label}>
            <Beside table={table} />
          </aside>
        ) : null}
      </div>
    </>
  );
}

/** Who has the word now, and whether the node is there. */
function Now({ table, silent }: { table: DiscussionDetail; silent: boolean }) {
  const t = useTableText();
  const known = useTables().data?.pages[0];
  const due = table.members.filter((member) => member.due);
  const [only] = due;
  const invited = table.members.find((member) => member.state === "invited");
  const guest = isGuest(table);
  // who does not sit at a contact's table sees nothing of what goes on
  if (table.state !== "open" || (guest && table.invitation !== "accepted")) return null;
  if (known?.with_contacts === false && isShared(table))
    return (
      <p className="stage-now small" role="status">
        {t.guest.off}
      </p>
    );
  return (
    <p className="stage-now mute small" role="status">
      {silent
        ? t.play.silent
        : table.recovering
          ? t.play.recovering
          : isComing(table)
            ? t.guest.coming(table.host_name ?? "")
            : invited
              ? t.play.unanswered(nameOf(invited, t))
              : due.length === 1 && only
                ? t.play.waiting(nameOf(only, t))
                : t.play.goingOn}
    </p>
  );
}

/** Whether the person may have somebody leave: at a table of theirs, and not themselves. */
const removable = (table: DiscussionDetail, member: TableMember): boolean =>
  !isGuest(table) &&
  !isMe(member) &&
  table.state !== "closed" &&
  (member.present || member.state === "invited" || member.state === "coming");

/** The code with which somebody failed last. */
const failureOf = (table: DiscussionDetail, { id }: TableMember): string =>
  table.items.findLast(({ by, step }) => by === id && step === "failed")?.code ?? "";

function Seats({ table, onLeave }: { table: DiscussionDetail; onLeave: (member: string) => void }) {
  const t = useTableText();
  return (
    <ul className="seats" aria-label={t.seat.label}>
      {table.members.map((member) => (
        <li key={member.id} className={member.present ? undefined : "gone"}>
          <MemberSeal member={member} />
          <span>
            <b>{nameOf(member, t)}</b>
            <span className="tiny faint">
              {member.state !== "here" || !member.present
                ? t.seat.states[member.state ?? "left"]
                : member.failed
                  ? t.seat.failed(whyOf(failureOf(table, member), t))
                  : member.due && table.state === "open"
                    ? t.seat.due
                    : isMe(member)
                      ? ""
                      : t.kinds[member.kind]}
            </span>
          </span>
          {removable(table, member) ? (
            <IconButton
              icon={X}
              label={t.seat.leave(member.name)}
              onClick={() => onLeave(member.id)}
            />
          ) : null}
        </li>
      ))}
    </ul>
  );
}

function Tools({ id, onRemove }: { id: string; onRemove: () => Promise<unknown> }) {
  const text = useText();
  const t = useTableText();
  const router = useRouter();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <a
        className="ib"
        href={tableExportHref(id)}
        download="table.md"
        aria-label={t.tools.export}
        title={t.tools.export}
      >
        <Icon of={Download} />
      </a>
      <IconButton icon={Trash2} label={t.tools.remove} onClick={() => setAsking(true)} />
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t.tools.remove}
        closeLabel={text.frame.close}
      >
        <p>{t.tools.removeSure}</p>
        <p className="row">
          <Button
            tone="beni"
            onClick={() =>
              void onRemove().then(
                () => router.push("/table"),
                () => undefined,
              )
            }
          >
            {t.tools.removeYes}
          </Button>
          <Button tone="quiet" onClick={() => setAsking(false)}>
            {t.tools.cancel}
          </Button>
        </p>
      </Dialog>
    </>
  );
}

interface SpeakProps {
  table: DiscussionDetail;
  answering: Answering | null;
  onAnswering: (answering: Answering | null) => void;
  acts: ReturnType<typeof useAtTable>;
}

/** The rules of a table of one's own: it rests, goes on, ends. */
function Running({ table, acts }: Pick<SpeakProps, "table" | "acts">) {
  const t = useTableText();
  return (
    <>
      {table.state === "paused" ? (
        <IconButton icon={Play} label={t.dock.resume} worded onClick={() => acts.resume.mutate()} />
      ) : (
        <IconButton icon={Pause} label={t.dock.pause} worded onClick={() => acts.pause.mutate()} />
      )}
      <IconButton
        icon={Flag}
        label={t.dock.close}
        worded="wide"
        disabled={acts.close.isPending}
        onClick={() => acts.close.mutate()}
      />
    </>
  );
}

/** What is typed at the table, as the person or as somebody else who types here. */
function Speak({ table, answering, onAnswering, acts }: SpeakProps) {
  const t = useTableText();
  const [said, setSaid] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const guest = isGuest(table);
  const typing = table.members.filter(
    (member) => member.kind === "person" && member.present && member.mine !== false,
  );
  const [chosen, setBy] = useState(ME);
  const by = typing.find(({ id }) => id === chosen)?.id ?? typing[0]?.id ?? ME;
  const about = answering && table.items.find(({ n }) => n === answering.n);
  useEffect(() => {
    if (answering) field.current?.focus();
  }, [answering]);
  const send = (event?: SyntheticEvent): void => {
    event?.preventDefault();
    if (said.trim() === "" || acts.say.isPending) return;
    acts.say.mutate(
      {
        text: said.trim(),
        by,
        ...(answering ? { on: answering.n, stance: answering.stance } : {}),
      },
      {
        onSuccess: () => {
          setSaid("");
          onAnswering(null);
        },
      },
    );
  };
  return (
    <form className="table-dock composer" onSubmit={send}>
      {answering && about ? (
        <p className="tiny mute">
          {t.play.answering(memberOf(table, about.by, t))} ·{" "}
          {answering.stance === "agrees" ? t.play.agree : t.play.disagree}{" "}
          <button type="button" className="link" onClick={() => onAnswering(null)}>
            {t.play.noAnswer}
          </button>
        </p>
      ) : null}
      <Area
        ref={field}
        label={t.dock.say}
        quiet
        placeholder={t.dock.say}
        value={said}
        maxLength={8000}
        rows={1}
        onChange={(event) => setSaid(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) send();
        }}
      />
      <div className="ctl">
        {typing.length > 1 ? (
          <label className="small mute">
            <span className="sr">{t.dock.as}</span>
            <select value={by} onChange={(event) => setBy(event.target.value)}>
              {typing.map((member) => (
                <option key={member.id} value={member.id}>
                  {nameOf(member, t)}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        {guest ? null : <Running table={table} acts={acts} />}
        <Button
          type="submit"
          tone="ink"
          size="small"
          icon={Send}
          className="table-send"
          disabled={said.trim() === "" || acts.say.isPending}
        >
          {t.dock.send}
        </Button>
      </div>
    </form>
  );
}
