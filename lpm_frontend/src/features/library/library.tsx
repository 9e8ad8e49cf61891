"use client";
import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useCallback, useDeferredValue, useRef, useState, type ReactNode } from "react";
import { NodeProblem } from "@/lib/api/client";
import { useDocument } from "@/lib/api/documents";
import { isNarrowed, useCounts, type Filter, type View } from "@/lib/api/library";
import { useStatus } from "@/lib/api/status";
import { send, useCommand } from "@/lib/commands";
import { formatBytes, useLanguage, useText } from "@/lib/i18n";
import { takeFiles } from "@/lib/intake";
import { sentencesOfProblem } from "@/lib/problem";
import { keepChoice, useChoice } from "@/lib/choice";
import { Bar } from "@/ui/bar";
import { Button } from "@/ui/button";
import { DropPage } from "@/ui/drop";
import { Empty, Loading } from "@/ui/faces";
import { Field } from "@/ui/field";
import { Margin } from "@/ui/margin";
import { Trouble } from "@/ui/trouble";
import { About } from "./about";
import { BulkBar } from "./bulk";
import { FilterChips, Filters } from "./filters";
import { Gone } from "./gone";
import { Acts } from "./panel";
import { useSelection } from "./selection";
import { Shelf } from "./shelf";

interface LibraryProps {
  /** The document that is open in the margin; empty for none. */
  id: string;
  reader: (document: string, onClose: () => void) => ReactNode;
}

/** What is in here, in what state. */
export function Library({ id, reader }: LibraryProps) {
  const text = useText();
  const language = useLanguage();
  const router = useRouter();
  const [words, setWords] = useState("");
  const [view, setView] = useState<View>({ filter: {}, sort: "added", order: "desc" });
  const grid = useChoice("library", "table") === "grid";
  const [gone, setGone] = useState("");
  const typed = useDeferredValue(words.trim());
  const filter: Filter = typed === "" ? view.filter : { ...view.filter, q: typed };
  const counts = useCounts(filter);
  const status = useStatus().data;
  const selection = useSelection();
  const scroller = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const total = counts.data?.total ?? 0;
  const narrowed = isNarrowed(filter);
  const bare = counts.isSuccess && total === 0 && !narrowed && !filter.deleted;
  const close = useCallback(() => router.replace("/library"), [router]);
  const change = (next: Filter): void => {
    selection.clear();
    setView({ ...view, filter: next });
    scroller.current?.scrollTo({ top: 0 });
  };
  const take = (files: readonly File[], folder: boolean): void => {
    send("add");
    takeFiles(files, {}, folder);
  };
  useCommand(
    "new",
    useCallback(() => send("add"), []),
  );
  useCommand(
    "write",
    useCallback(() => field.current?.focus(), []),
  );
  useCommand(
    "stop",
    useCallback(() => {
      if (id !== "") close();
    }, [close, id]),
  );
  return (
    <DropPage words={text.library.drop} onFiles={take}>
      <Bar title={text.places.library}>
        <Button size="small" icon={Plus} onClick={() => send("add")}>
          {text.library.add}
        </Button>
      </Bar>
      <div className="cols">
        <div className="main lib-main" ref={scroller}>
          {counts.isPending ? <Loading words={text.library.loading} lines={6} /> : null}
          {counts.isError && !counts.data ? (
            <Trouble error={counts.error} onRetry={() => void counts.refetch()} />
          ) : null}
          {bare ? (
            <Empty title={text.library.emptyTitle}>
              <p className="mute">{text.library.emptyDetail}</p>
              <Button tone="ink" icon={Plus} onClick={() => send("add")}>
                {text.chat.add}
              </Button>
              <button
                type="button"
                className="link small"
                onClick={() => change({ deleted: true })}
              >
                {text.shelves.deleted}
              </button>
            </Empty>
          ) : null}
          {counts.data && !bare ? (
            <>
              <div className="lib-head">
                <Field
                  label={text.shelves.search}
                  className="quiet-label"
                  ref={field}
                  type="search"
                  placeholder={text.shelves.search}
                  value={words}
                  onChange={(event) => setWords(event.target.value)}
                />
                <p className="sum num" role="status">
                  {narrowed && status
                    ? text.shelves.of(total, status.documents)
                    : filter.deleted
                      ? text.shelves.found(total)
                      : text.library.summary(total, status?.chunks ?? 0)}
                  {total > 0 ? (
                    <span className="faint">
                      {" "}
                      {text.shelves.size(formatBytes(counts.data.bytes, language))}
                    </span>
                  ) : null}
                </p>
              </div>
              <Filters
                filter={view.filter}
                onChange={change}
                grid={grid}
                onGrid={(on) => keepChoice("library", on ? "grid" : "table")}
              />
              <FilterChips filter={view.filter} onChange={change} />
              {filter.deleted ? (
                <p className="small mute lib-lead">{text.shelves.deletedLead}</p>
              ) : null}
              {total === 0 ? (
                <Empty
                  title={
                    typed !== "" && !isNarrowed(view.filter)
                      ? text.library.noneMatch(typed)
                      : filter.deleted && !narrowed
                        ? text.shelves.deletedNone
                        : text.shelves.none
                  }
                >
                  <p className="mute">
                    {filter.deleted && !narrowed
                      ? text.shelves.deletedNoneHint
                      : text.shelves.noneHint}
                  </p>
                  <Button
                    onClick={() => {
                      setWords("");
                      change({});
                    }}
                  >
                    {text.shelves.clear}
                  </Button>
                </Empty>
              ) : (
                <Shelf
                  key={`${grid}`}
                  view={{ ...view, filter }}
                  onView={(next) => setView({ ...next, filter: view.filter })}
                  total={total}
                  id={id}
                  grid={grid}
                  selection={selection}
                  scroller={scroller}
                />
              )}
              <BulkBar
                selection={selection}
                total={total}
                filter={filter}
                failed={(counts.data.states["failed"] ?? 0) > 0}
              />
            </>
          ) : null}
        </div>
        <Margin
          label={id === "" ? text.source.region : text.library.details}
          open={id !== ""}
          onClose={close}
        >
          {id === "" || id === gone ? (
            <p className="margin-hint small faint">
              {total > 0 ? text.library.choose : text.add.kinds}
            </p>
          ) : (
            <Side
              key={id}
              id={id}
              reader={reader}
              onClose={close}
              onFilter={change}
              onGone={() => {
                setGone(id);
                close();
              }}
              onBack={() => setGone("")}
            />
          )}
        </Margin>
      </div>
    </DropPage>
  );
}

interface SideProps {
  id: string;
  reader: LibraryProps["reader"];
  onClose: () => void;
  onFilter: (filter: Filter) => void;
  onGone: () => void;
  onBack: () => void;
}

function Side({ id, reader, onClose, onFilter, onGone, onBack }: SideProps) {
  const text = useText();
  const query = useDocument(id);
  const [panel, setPanel] = useState<"read" | "about">("read");
  if (query.isError && !query.data) {
    const lost = query.error instanceof NodeProblem && query.error.status === 404;
    return (
      <div className="lib-hint">
        {lost ? (
          <Empty title={text.library.lost}>
            <p className="mute">{text.library.lostHint}</p>
          </Empty>
        ) : (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        )}
      </div>
    );
  }
  if (!query.data) {
    return (
      <div className="lib-hint">
        <Loading words={text.source.loading} lines={5} />
      </div>
    );
  }
  if (query.data.deleted_at)
    return <Gone document={query.data} onClose={onClose} onErased={onGone} />;
  const problem = query.data.error ? sentencesOfProblem(query.data.error, text) : null;
  return (
    <div className="lib-side">
      <div className="lib-tabs" role="group" aria-label={text.shelves.panel}>
        {(
          [
            ["read", text.shelves.read],
            ["about", text.shelves.about],
          ] as const
        ).map(([each, word]) => (
          <button
            key={each}
            type="button"
            className="lib-tab"
            aria-pressed={panel === each}
            onClick={() => setPanel(each)}
          >
            {word}
          </button>
        ))}
      </div>
      {panel === "about" ? (
        <About document={query.data} onFilter={onFilter} onPlace={() => setPanel("read")} />
      ) : query.data.state === "ready" ? (
        reader(id, onClose)
      ) : (
        <div className="lib-hint">
          <h2>{query.data.title}</h2>
          <p className="mute small">
            {problem ? `${problem.detail} ${problem.hint}` : text.source.notRead}
          </p>
        </div>
      )}
      {query.data.superseded_by ? null : (
        <Acts document={query.data} onGone={onGone} onBack={onBack} />
      )}
    </div>
  );
}
