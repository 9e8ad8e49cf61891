"use client";
import Link from "next/link";
import { useNetwork } from "@/lib/api/people";
import type { Network, PeerEntry } from "@/lib/api/types";
import { formatBytes, formatDate, formatTime, useLanguage } from "@/lib/i18n";
import { usePeopleText, type PeopleText } from "@/lib/i18n/people";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { PeoplePage } from "./page";
import { whyOf } from "./why";

type Words = Readonly<Record<string, string>>;

/** Every byte that left, by day, person and kind; what waits to leave; what was decided. */
export function NetworkLog() {
  const t = usePeopleText();
  const query = useNetwork();
  if (!query.data)
    return (
      <PeoplePage view="network">
        {query.isError ? (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Loading words={t.people.loading} lines={6} />
        )}
      </PeoplePage>
    );
  return (
    <PeoplePage view="network" label={t.network.log} beside={<Log entries={query.data.entries} />}>
      <Left network={query.data} />
      <Outbox network={query.data} />
    </PeoplePage>
  );
}

function Left({ network }: { network: Network }) {
  const t = usePeopleText();
  const language = useLanguage();
  const kinds: Words = t.network.categories;
  return (
    <section className="people-part">
      <h2 className={network.bytes === 0 ? "network-head stayed" : "network-head"}>
        {network.bytes === 0
          ? t.network.nothing
          : t.network.left(formatBytes(network.bytes, language))}
      </h2>
      <p className="small mute">{t.network.means}</p>
      <div className="network-scroll">
        <table className="network" aria-label={t.network.table}>
          <thead>
            <tr>
              <th scope="col">{t.network.day}</th>
              <th scope="col">{t.network.who}</th>
              <th scope="col">{t.network.what}</th>
              <th scope="col">{t.network.size}</th>
            </tr>
          </thead>
          <tbody>
            {network.sent.map((each) => (
              <tr key={`${each.day} ${each.contact ?? ""} ${each.category}`}>
                <td className="num">{formatDate(each.day, language)}</td>
                <td>{each.contact === null ? t.people.deleted : each.name}</td>
                <td>{kinds[each.category] ?? each.category}</td>
                <td className="num">{formatBytes(each.bytes, language)}</td>
              </tr>
            ))}
            {network.elsewhere === 0 ? null : (
              <tr>
                <td />
                <td>{network.hosts.join(", ")}</td>
                <td>{t.network.elsewhere}</td>
                <td className="num">{formatBytes(network.elsewhere, language)}</td>
              </tr>
            )}
            <tr className="stayed">
              <td />
              <td colSpan={2}>{t.network.rest}</td>
              <td>{t.network.restNothing}</td>
            </tr>
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Outbox({ network }: { network: Network }) {
  const t = usePeopleText();
  const language = useLanguage();
  const verbs: Words = t.network.categories;
  return (
    <section className="people-part">
      <h2 className="part">{t.network.outbox}</h2>
      {network.outbox.length === 0 ? <p className="small mute">{t.network.outboxNone}</p> : null}
      <ul className="exchanged">
        {network.outbox.map((each) => (
          <li key={each.id}>
            <span className="small faint num">
              {formatDate(each.made_at, language)} {formatTime(each.made_at, language)}
            </span>
            <span className="small">
              {each.name === "" ? t.greet.who : each.name} · {verbs[each.verb] ?? each.verb} ·{" "}
              {formatBytes(each.bytes, language)}
            </span>
            <span className="small faint num">
              {each.state !== "refused"
                ? t.network.states[each.state]
                : `${t.inbox.refused} ${whyOf(each.code, t)}`}
              {each.tries > 0 ? ` · ${t.network.tries(each.tries)}` : ""}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What happened, in words: of a request that was decided, how. */
function said({ kind, facts }: PeerEntry, t: PeopleText): string {
  const outcome =
    typeof facts["outcome"] === "string"
      ? (t.network.outcomes as Words)[facts["outcome"]]
      : undefined;
  return outcome ?? (t.network.kinds as Words)[kind] ?? kind;
}

function Log({ entries }: { entries: readonly PeerEntry[] }) {
  const t = usePeopleText();
  const language = useLanguage();
  return (
    <section className="figure-list">
      <h2 className="label">{t.network.log}</h2>
      {entries.length === 0 ? <p className="small mute">{t.network.logNone}</p> : null}
      <dl>
        {entries.map((each) => (
          <div key={each.number}>
            <dt>
              {each.name === "" ? null : <b>{each.name} </b>}
              {said(each, t)}
            </dt>
            <dd className="num faint">
              {formatDate(each.at, language)} {formatTime(each.at, language)}
            </dd>
          </div>
        ))}
      </dl>
      {entries.length === 0 ? null : (
        <Link className="link small" href="/exposure">
          {t.network.audit}
        </Link>
      )}
    </section>
  );
}
