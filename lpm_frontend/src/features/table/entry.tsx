"use client";
import { BookmarkCheck, BookmarkPlus, Eraser } from "lucide-react";
import Link from "next/link";
import type { Citation, DiscussionDetail, TableCite, TableEntry } from "@/lib/api/types";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { useTableText, type TableText } from "@/lib/i18n/table";
import { IconButton } from "@/ui/button";
import { placeOf, Quote, SourceLine } from "@/ui/evidence";
import { isMe, nameOf } from "./members";
import { isGuest, whyOf } from "./views";

interface EntryProps {
  table: DiscussionDetail;
  entry: TableEntry;
  onStrike: (n: number) => void;
  onKeep: (n: number, keep: boolean) => void;
  /** Answer it, with what one makes of it; nothing where nobody speaks any more. */
  onAnswer: ((n: number, stance: "agrees" | "disagrees") => void) | null;
}

export const memberOf = (table: DiscussionDetail, id: string, t: TableText): string => {
  const found = table.members.find((member) => member.id === id);
  return found ? nameOf(found, t) : id;
};

/** One entry: a turn as in a play, anything else as a stage direction. */
export function Entry({ table, entry, ...acts }: EntryProps) {
  const t = useTableText();
  if (entry.step === "opening") return null;
  if (entry.step === "turn") return <Turn table={table} entry={entry} {...acts} />;
  if (entry.step === "summary") return <Summary table={table} entry={entry} />;
  return (
    <li className="stage" id={`entry-${entry.n.toString()}`}>
      <span />
      <p>{direction(table, entry, t)}</p>
    </li>
  );
}

function direction(table: DiscussionDetail, entry: TableEntry, t: TableText): string {
  const name = memberOf(table, entry.by, t);
  switch (entry.step) {
    case "paused":
      return t.play.paused;
    case "resumed":
      return t.play.resumed;
    case "left":
      return t.play.left(name);
    case "joined":
      return t.play.joined(name);
    case "called":
      return t.play.called(name);
    case "failed":
      return t.play.failed(name, whyOf(entry.code ?? "", t));
    case "struck":
      return t.play.struck;
    case "closed":
      return isGuest(table) && entry.why === "person"
        ? t.end.byHost(table.host_name ?? "")
        : t.end.why[entry.why ?? "person"];
    case "invited":
    case "opening":
    case "turn":
    case "summary":
      return t.play.invited;
  }
}

function Turn({ table, entry, onStrike, onKeep, onAnswer }: EntryProps) {
  const t = useTableText();
  const member = table.members.find(({ id }) => id === entry.by);
  const answered = table.items.find(({ n }) => n === entry.on);
  const typed = member?.kind === "person";
  const evidence = entry.evidence ?? [];
  const cites = entry.cites ?? [];
  const sources = evidence.length + cites.length;
  const stance =
    entry.stance && answered
      ? t.play[entry.stance](memberOf(table, answered.by, t))
      : entry.abstained
        ? t.play.abstained
        : "";
  return (
    <li className="spoken" id={`entry-${entry.n.toString()}`}>
      <p className={`spoken-name ${member?.mine === false ? "peer" : (member?.kind ?? "")}`}>
        {memberOf(table, entry.by, t)}
        <small>
          {[member && !isMe(member) ? t.kinds[member.kind] : "", stance]
            .filter((each) => each !== "")
            .join(" · ")}
        </small>
      </p>
      <div className="spoken-words">
        {entry.gone ? (
          <p className="mute">{t.play.gone}</p>
        ) : (
          <p className={typed ? "own" : entry.abstained ? "mute" : undefined}>{entry.text}</p>
        )}
        {entry.gone || typed || entry.abstained ? null : sources === 0 ? (
          <p className="tiny faint">{t.play.none}</p>
        ) : (
          <details className="spoken-evidence">
            <summary className="tiny">{t.play.evidence(sources)}</summary>
            {evidence.length > 0 ? <Evidence items={evidence} /> : null}
            {cites.length > 0 ? (
              <Cites items={cites} author={memberOf(table, entry.by, t)} />
            ) : null}
          </details>
        )}
        {entry.gone || entry.abstained ? null : (
          <p className="spoken-acts">
            {onAnswer === null || (typed && member.mine !== false) ? null : (
              <>
                <button
                  type="button"
                  className="link tiny"
                  onClick={() => onAnswer(entry.n, "agrees")}
                >
                  {t.play.agree}
                </button>
                <button
                  type="button"
                  className="link tiny"
                  onClick={() => onAnswer(entry.n, "disagrees")}
                >
                  {t.play.disagree}
                </button>
              </>
            )}
            <IconButton
              icon={entry.kept ? BookmarkCheck : BookmarkPlus}
              label={entry.kept ? t.play.letGo : t.play.keep}
              aria-pressed={Boolean(entry.kept)}
              onClick={() => onKeep(entry.n, !entry.kept)}
            />
            {isGuest(table) && member?.mine === false ? null : (
              <IconButton icon={Eraser} label={t.play.strike} onClick={() => onStrike(entry.n)} />
            )}
            {entry.kept ? (
              <Link className="link tiny" href={`/library?id=${encodeURIComponent(entry.kept)}`}>
                {t.play.kept}
              </Link>
            ) : null}
          </p>
        )}
      </div>
    </li>
  );
}

/** What was cited, each with the way to where it stands. */
export function Evidence({ items }: { items: readonly Citation[] }) {
  const text = useText();
  return (
    <ul className="spoken-sources">
      {items.map((item) => (
        <li key={item.id}>
          <Quote author={item.author}>{item.quote}</Quote>
          <Link
            href={`/library?id=${encodeURIComponent(item.document)}&start=${item.start.toString()}&end=${item.end.toString()}`}
          >
            <SourceLine title={item.title} place={placeOf(item, text)} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** What a contact rests a turn on, as far as they let it be cited. */
function Cites({ items, author }: { items: readonly TableCite[]; author: string }) {
  const t = useTableText();
  const language = useLanguage();
  return (
    <ul className="spoken-sources">
      {items.map((item, at) => (
        <li key={at}>
          {item.quote === "" ? null : (
            <Quote author={{ name: author, own: false }}>{item.quote}</Quote>
          )}
          <span className="tiny faint">
            {item.at === null ? t.guest.theirs(author) : formatDate(item.at, language)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Summary({ table, entry }: { table: DiscussionDetail; entry: TableEntry }) {
  const t = useTableText();
  return (
    <li className="spoken" id={`entry-${entry.n.toString()}`}>
      <h3 className="spoken-name">{t.end.summary}</h3>
      <ul className="summed">
        {(entry.points ?? []).map((point) => (
          <li key={`${point.by} ${point.turn.toString()}`}>
            <b>{memberOf(table, point.by, t)}</b>{" "}
            <a className="link tiny" href={`#entry-${point.turn.toString()}`}>
              {t.end[point.says]}
            </a>
            {point.quotes.map((quote) => (
              <p key={quote}>{quote}</p>
            ))}
          </li>
        ))}
      </ul>
    </li>
  );
}
