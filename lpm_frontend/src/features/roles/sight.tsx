"use client";
import { useSight } from "@/lib/api/roles";
import type { Sees } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { useRolesText } from "@/lib/i18n/roles";
import { placeOf, SourceLine } from "@/ui/evidence";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";

/** How much a scope lets in now, and the newest of it. */
export function Sight({ sees }: { sees: Sees }) {
  const text = useText();
  const t = useRolesText();
  const query = useSight(sees);
  return (
    <section className="sight" aria-labelledby="sight-name">
      <h2 className="part" id="sight-name">
        {t.sight.title}
      </h2>
      {query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.data ? (
        <>
          <p className="sight-count" role="status">
            <b>{t.sight.count(query.data.passages, query.data.of)}</b>{" "}
            <span className="mute">{t.sight.documents(query.data.documents)}</span>
          </p>
          {query.data.without_private ? <p className="small warn">{t.sight.sealed}</p> : null}
          {query.data.items.length === 0 ? (
            <p className="small mute">{t.sight.nothing}</p>
          ) : (
            <>
              <h3 className="label">{t.sight.first}</h3>
              <ul className="sight-rows">
                {query.data.items.map((item) => (
                  <li key={item.id}>
                    <p className="own clip-3">{item.content}</p>
                    <SourceLine
                      title={item.document.title}
                      kind={item.document.kind}
                      place={placeOf(item, text)}
                    />
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      ) : query.isPending ? (
        <Loading words={t.sight.counting} lines={4} />
      ) : null}
    </section>
  );
}
