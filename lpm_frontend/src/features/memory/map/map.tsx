"use client";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useId, useMemo, useRef, useState, type RefObject } from "react";
import { useGraph, useRebuild } from "@/lib/api/graph";
import type { Graph } from "@/lib/api/types";
import { useCommand } from "@/lib/commands";
import { formatDate, useLanguage } from "@/lib/i18n";
import { usePlacesText } from "@/lib/i18n/places";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { Beside, useOpened, type ReaderOf } from "../beside";
import { Passage } from "../entities/entity";
import { MapCanvas } from "./map-canvas";
import { NoNames } from "../pages/pages";
import type { PlaceOfWords } from "../statements/panel";
import { pigmentsOf } from "./pigments";
import { Shape } from "../entities/shape";
import { meansToDraw } from "./shapes";
import { MemoryBar } from "../tabs";
import { KINDS, mapHref, type MapWish } from "../views";

interface MapProps {
  wish: MapWish;
  reader: ReaderOf;
}

/** People, places, things and ideas, and what is named together. */
export function MemoryMap({ wish, reader }: MapProps) {
  const t = usePlacesText();
  const router = useRouter();
  const query = useGraph(wish.around);
  const graph = query.data;
  const means = useMemo(() => meansToDraw(), []);
  const drawn = means !== "none";
  const [asTable, setAsTable] = useState(false);
  const [years, setYears] = useState<readonly [number, number] | null>(null);
  const stage = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const go = useCallback(
    (next: MapWish) => router.replace(mapHref(next), { scroll: false }),
    [router],
  );
  const close = useCallback(() => go({ ...wish, slug: "" }), [go, wish]);
  const choose = (slug: string): void => go({ ...wish, slug });
  const opened = useOpened(wish.slug, close);
  useCommand(
    "write",
    useCallback(() => search.current?.focus(), []),
  );
  const all = useMemo(() => yearsOf(graph), [graph]);
  const [from, to] = years ?? all;
  const centre = graph?.nodes.find((node) => node.id === wish.around);
  return (
    <>
      <MemoryBar view="map" />
      <div className="cols">
        <div className="main map-main">
          {query.isError && !graph ? (
            <Trouble error={query.error} onRetry={() => void query.refetch()} />
          ) : graph === undefined ? (
            <Loading words={t.map.loading} lines={6} />
          ) : graph.nodes.length === 0 ? (
            <NoNames />
          ) : (
            <>
              <div className="map-tools">
                <Find graph={graph} field={search} onFind={choose} />
                <Button
                  size="small"
                  tone="quiet"
                  aria-pressed={asTable || !drawn}
                  disabled={!drawn}
                  onClick={() => setAsTable(!asTable)}
                >
                  {asTable ? t.common.asPicture : t.common.asTable}
                </Button>
              </div>
              <State graph={graph} />
              {centre ? (
                <div className="memory-then" role="status">
                  <span>{t.map.around(centre.name)}</span>
                  <button
                    type="button"
                    className="link"
                    onClick={() => go({ ...wish, around: "" })}
                  >
                    {t.map.all}
                  </button>
                </div>
              ) : null}
              {drawn ? null : <p className="small mute map-cannot">{t.map.cannot}</p>}
              {asTable || !drawn ? (
                <MapTable graph={graph} href={(slug) => mapHref({ ...wish, slug })} />
              ) : (
                <MapCanvas
                  graph={graph}
                  slow={means === "software"}
                  chosen={wish.slug}
                  from={from}
                  to={to}
                  box={stage}
                  onChoose={choose}
                  onCentre={(slug) => go({ slug, around: slug })}
                />
              )}
              <footer className="map-foot">
                <ul className="map-key small mute">
                  {KINDS.filter((kind) => kind !== "unknown").map((kind) => (
                    <li key={kind}>
                      <Shape kind={kind} />
                      {t.kinds.many[kind]}
                    </li>
                  ))}
                </ul>
                {drawn && !asTable && all[0] < all[1] ? (
                  <Years all={all} from={from} to={to} onChange={setYears} />
                ) : null}
              </footer>
            </>
          )}
        </div>
        <Beside
          label={t.map.beside}
          slug={wish.slug}
          opened={opened}
          href={(slug) => mapHref({ ...wish, slug })}
          onGo={choose}
          onClose={close}
          reader={reader}
        >
          {graph && graph.communities.length > 0 ? (
            <Communities graph={graph} onOpen={opened.open} />
          ) : null}
        </Beside>
      </div>
    </>
  );
}

/** The first and the last year in which something on the map was named. */
function yearsOf(graph: Graph | undefined): readonly [number, number] {
  const found = (graph?.nodes ?? [])
    .flatMap((node) => [node.first, node.last])
    .flatMap((iso) => (iso === null ? [] : [new Date(iso).getFullYear()]));
  const now = new Date().getFullYear();
  return found.length === 0 ? [now, now] : [Math.min(...found), Math.max(...found)];
}

/** Jump to what one types the name of. */
function Find({
  graph,
  field,
  onFind,
}: {
  graph: Graph;
  field: RefObject<HTMLInputElement | null>;
  onFind: (slug: string) => void;
}) {
  const t = usePlacesText();
  const id = useId();
  const [words, setWords] = useState("");
  const named = (typed: string): Graph["nodes"][number] | undefined => {
    const wanted = typed.trim().toLocaleLowerCase();
    if (wanted === "") return undefined;
    return (
      graph.nodes.find((node) => node.name.toLocaleLowerCase() === wanted) ??
      graph.nodes.find((node) => node.name.toLocaleLowerCase().startsWith(wanted))
    );
  };
  return (
    <form
      className="field quiet-label voice-plain"
      onSubmit={(event) => {
        event.preventDefault();
        const found = named(words);
        if (found) onFind(found.id);
      }}
    >
      <label className="label" htmlFor={id}>
        {t.map.find}
      </label>
      <input
        id={id}
        ref={field}
        type="search"
        list={`${id}-names`}
        placeholder={t.map.find}
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          const exact = graph.nodes.find((node) => node.name === event.target.value);
          if (exact) onFind(exact.id);
        }}
      />
      <datalist id={`${id}-names`}>
        {graph.nodes.slice(0, 200).map((node) => (
          <option key={node.id} value={node.name} />
        ))}
      </datalist>
    </form>
  );
}

/** How new it is, and how to have it drawn anew. */
function State({ graph }: { graph: Graph }) {
  const t = usePlacesText();
  const language = useLanguage();
  const rebuild = useRebuild();
  const made = graph.made_at === null ? "" : formatDate(graph.made_at, language);
  if (graph.state === "fresh") return null;
  const busy = graph.state === "rebuilding" || rebuild.isPending;
  return (
    <div className="memory-then" role="status">
      <span>
        {busy
          ? t.map.rebuilding
          : graph.state === "failed"
            ? t.map.failed(made)
            : t.map.stale(made)}
      </span>
      {busy ? null : (
        <button type="button" className="link" onClick={() => rebuild.mutate()}>
          {t.map.rebuild}
        </button>
      )}
    </div>
  );
}

/** The same as a table. */
function MapTable({ graph, href }: { graph: Graph; href: (slug: string) => string }) {
  const t = usePlacesText();
  const language = useLanguage();
  const beside = useMemo(() => {
    const found = new Map<string, { name: string; weight: number }[]>();
    const names = new Map(graph.nodes.map((node) => [node.id, node.name]));
    for (const { source, target, weight } of graph.edges) {
      for (const [one, other] of [
        [source, target],
        [target, source],
      ] as const)
        found.set(one, [...(found.get(one) ?? []), { name: names.get(other) ?? "", weight }]);
    }
    return found;
  }, [graph]);
  return (
    <div className="map-table">
      <table>
        <caption className="sr">{t.map.table}</caption>
        <thead>
          <tr>
            <th scope="col">{t.entity.name}</th>
            <th scope="col">{t.kinds.label}</th>
            <th scope="col">{t.map.passages}</th>
            <th scope="col">{t.entity.neighbours}</th>
          </tr>
        </thead>
        <tbody>
          {graph.nodes
            .toSorted((a, b) => b.size - a.size)
            .map((node) => (
              <tr key={node.id}>
                <th scope="row">
                  <Link className="own link" href={href(node.id)}>
                    {node.name}
                  </Link>
                </th>
                <td>{t.kinds.one[node.kind]}</td>
                <td className="num">{node.size.toLocaleString(language)}</td>
                <td className="own">
                  {(beside.get(node.id) ?? [])
                    .toSorted((a, b) => b.weight - a.weight)
                    .slice(0, 6)
                    .map(({ name }) => name)
                    .join(language === "ja" ? "、" : ", ")}
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

/** What did not hold in these years fades. */
function Years({
  all,
  from,
  to,
  onChange,
}: {
  all: readonly [number, number];
  from: number;
  to: number;
  onChange: (years: readonly [number, number]) => void;
}) {
  const t = usePlacesText();
  const share = (year: number): string => `${((year - all[0]) / (all[1] - all[0])) * 100}%`;
  return (
    <div className="map-years num small" role="group" aria-label={t.map.years}>
      <span>{from}</span>
      <span className="map-range">
        <i style={{ left: share(from), right: `calc(100% - ${share(to)})` }} aria-hidden="true" />
        <input
          type="range"
          aria-label={t.map.fromYear}
          min={all[0]}
          max={all[1]}
          value={from}
          onChange={(event) => onChange([Math.min(Number(event.target.value), to), to])}
        />
        <input
          type="range"
          aria-label={t.map.toYear}
          min={all[0]}
          max={all[1]}
          value={to}
          onChange={(event) => onChange([from, Math.max(Number(event.target.value), from)])}
        />
      </span>
      <span>{to}</span>
    </div>
  );
}

/** Groups of what is named together, each with sentences of one's own about it. */
function Communities({ graph, onOpen }: { graph: Graph; onOpen: (place: PlaceOfWords) => void }) {
  const t = usePlacesText();
  const pigments = useMemo(() => pigmentsOf(graph.communities), [graph]);
  return (
    <div className="remembered">
      <p className="small faint">{t.map.choose}</p>
      {graph.communities
        .toSorted((a, b) => b.size - a.size)
        .slice(0, 8)
        .map(({ id, title, size, report }) => (
          <section key={id} aria-label={title}>
            <h2
              className="own map-community"
              style={{ color: `var(--${pigments.get(id) ?? "ink-3"})` }}
            >
              {title} <span className="tiny faint num">{t.map.members(size)}</span>
            </h2>
            {report.slice(0, 1).map((each) => (
              <Passage key={each.id} passage={each} words={each.text} onOpen={onOpen} />
            ))}
          </section>
        ))}
    </div>
  );
}
