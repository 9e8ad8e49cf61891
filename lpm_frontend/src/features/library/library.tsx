"use client";
import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useCallback, useDeferredValue, useRef, useState, type ReactNode } from "react";
import { NodeProblem } from "@/lib/api/client";
import { useDocument, useDocuments } from "@/lib/api/documents";
import { useJobs } from "@/lib/api/jobs";
import { useStatus } from "@/lib/api/status";
import { send, useCommand } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { takeFiles } from "@/lib/intake";
import { sentencesOfProblem } from "@/lib/problem";
import { Bar } from "@/ui/bar";
import { Button } from "@/ui/button";
import { DropPage } from "@/ui/drop";
import { Empty, Loading } from "@/ui/faces";
import { Field } from "@/ui/field";
import { Margin } from "@/ui/margin";
import { Trouble } from "@/ui/trouble";
import { Acts } from "./panel";
import { Row } from "./row";

interface LibraryProps {
  /** The document that is open in the margin; empty for none. */
  id: string;
  reader: (document: string, onClose: () => void) => ReactNode;
}

/** What is in here, in what state. */
export function Library({ id, reader }: LibraryProps) {
  const text = useText();
  const router = useRouter();
  const [filter, setFilter] = useState("");
  const [gone, setGone] = useState("");
  const wanted = useDeferredValue(filter.trim());
  const query = useDocuments(wanted);
  const status = useStatus().data;
  const jobs = useJobs().data?.items ?? [];
  const list = useRef<HTMLUListElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const documents = query.data?.pages.flatMap((page) => page.items) ?? [];
  const close = useCallback(() => router.replace("/library"), [router]);
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
  useCommand(
    "step",
    useCallback(({ by }: { by: 1 | -1 }) => {
      const links = [...(list.current?.querySelectorAll<HTMLElement>(".doc-title a") ?? [])];
      const at = links.indexOf(document.activeElement as HTMLElement);
      links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
    }, []),
  );
  return (
    <DropPage words={text.library.drop} onFiles={take}>
      <Bar title={text.places.library}>
        <Button size="small" icon={Plus} onClick={() => send("add")}>
          {text.library.add}
        </Button>
      </Bar>
      <div className="cols">
        <div className="main lib-main">
          {query.isPending ? <Loading words={text.library.loading} lines={6} /> : null}
          {query.isError && documents.length === 0 ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : null}
          {query.isSuccess && documents.length === 0 && wanted === "" ? (
            <Empty title={text.library.emptyTitle}>
              <p className="mute">{text.library.emptyDetail}</p>
              <Button tone="ink" icon={Plus} onClick={() => send("add")}>
                {text.chat.add}
              </Button>
            </Empty>
          ) : null}
          {documents.length > 0 || wanted !== "" ? (
            <>
              <div className="lib-head">
                {status ? <p className="sum num">{text.library.summary(status.documents, status.chunks)}</p> : null}
                <Field label={text.library.filter} className="quiet-label" ref={field} type="search" placeholder={text.library.filter} value={filter} onChange={(event) => setFilter(event.target.value)} />
              </div>
              {documents.length === 0 && query.isSuccess ? <p className="mute">{text.library.noneMatch(wanted)}</p> : null}
              <ul className="lib-list" ref={list}>
                {documents.map((document) => (
                  <Row key={document.id} document={document} jobs={jobs} current={document.id === id} />
                ))}
              </ul>
              {query.hasNextPage ? (
                <Button className="lib-more" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {text.library.more}
                </Button>
              ) : null}
            </>
          ) : null}
        </div>
        <Margin label={id === "" ? text.source.region : text.library.details} open={id !== ""} onClose={close}>
          {id === "" || id === gone ? <p className="margin-hint small faint">{documents.length > 0 ? text.library.choose : text.add.kinds}</p> : (
            <Side
              key={id}
              id={id}
              reader={reader}
              onClose={close}
              onGone={() => {
                setGone(id);
                close();
              }}
            />
          )}
        </Margin>
      </div>
    </DropPage>
  );
}

function Side({ id, reader, onClose, onGone }: { id: string; reader: LibraryProps["reader"]; onClose: () => void; onGone: () => void }) {
  const text = useText();
  const query = useDocument(id);
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
  const problem = query.data.error ? sentencesOfProblem(query.data.error, text) : null;
  return (
    <div className="lib-side">
      {query.data.state === "ready" ? (
        reader(id, onClose)
      ) : (
        <div className="lib-hint">
          <h2>{query.data.title}</h2>
          <p className="mute small">{problem ? `${problem.detail} ${problem.hint}` : text.source.notRead}</p>
        </div>
      )}
      <Acts document={query.data} onGone={onGone} />
    </div>
  );
}
