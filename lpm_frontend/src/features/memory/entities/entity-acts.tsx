"use client";
import Link from "next/link";
import { useDeferredValue, useState } from "react";
import {
  useEntities,
  useNaming,
  useSayOfEntity,
  useUnsayOfEntity,
  type Saying,
} from "@/lib/api/entities";
import type { Entity, EntityKind, EntityWhole } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { usePlacesText } from "@/lib/i18n/places";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Loading } from "@/ui/faces";
import { Field } from "@/ui/field";
import { useReturn } from "@/ui/return";
import { Trouble } from "@/ui/trouble";
import { Shape } from "./shape";
import { KINDS, mapHref } from "../views";

interface ActsProps {
  entity: EntityWhole;
  onGo: (slug: string) => void;
  onClose: () => void;
}

/** What one can say of an entity. Each is a decision of its own, and can be taken back. */
export function EntityActs({ entity, onGo, onClose }: ActsProps) {
  const t = usePlacesText();
  const [doing, setDoing] = useState<"" | "rename" | "merge" | "split">("");
  const say = useSayOfEntity();
  const { mutate: unsay } = useUnsayOfEntity();
  const back = useReturn(doing === "rename");
  const leave = (): void => setDoing("");
  const tell = (saying: Saying, sentence: string, then: (slug: string) => void = onGo): void =>
    offerUndoWhen(
      say.mutateAsync(saying, {
        onSuccess: ({ entity: now }) => {
          leave();
          then(now.slug);
        },
      }),
      ({ decision }) => ({ sentence, undo: () => unsay(decision) }),
    );
  return (
    <div className="entity-acts">
      {doing === "rename" ? (
        <Rename
          name={entity.name}
          busy={say.isPending}
          onLeave={leave}
          onRename={(name) =>
            tell({ what: "change", slug: entity.slug, change: { name } }, t.entity.renamed)
          }
        />
      ) : (
        <>
          <label className="entity-kind-choice">
            <span className="sr">{t.entity.kind}</span>
            <select
              value={entity.kind}
              disabled={say.isPending}
              onChange={(event) =>
                tell(
                  {
                    what: "change",
                    slug: entity.slug,
                    change: { kind: event.target.value as EntityKind },
                  },
                  t.entity.kindChanged,
                )
              }
            >
              {KINDS.map((kind) => (
                <option key={kind} value={kind}>
                  {t.kinds.one[kind]}
                </option>
              ))}
            </select>
          </label>
          <Button size="small" tone="quiet" ref={back} onClick={() => setDoing("rename")}>
            {t.entity.rename}
          </Button>
          <Button size="small" tone="quiet" onClick={() => setDoing("merge")}>
            {t.entity.merge}
          </Button>
          <Button size="small" tone="quiet" onClick={() => setDoing("split")}>
            {t.entity.split}
          </Button>
          {entity.self ? null : (
            <Button
              size="small"
              tone="quiet"
              disabled={say.isPending}
              onClick={() =>
                tell(
                  { what: "change", slug: entity.slug, change: { hidden: true } },
                  t.entity.hidden,
                  onClose,
                )
              }
            >
              {t.entity.hide}
            </Button>
          )}
          {entity.community === null ? null : (
            <Link className="link small" href={mapHref({ slug: entity.slug, around: "" })}>
              {t.entity.onMap}
            </Link>
          )}
          <Link
            className="link small"
            href={`/?ask=${encodeURIComponent(t.entity.question(entity.name))}`}
          >
            {t.entity.ask}
          </Link>
        </>
      )}
      {say.isError && (doing === "" || doing === "rename") ? <Trouble error={say.error} /> : null}
      <Merge
        open={doing === "merge"}
        entity={entity}
        busy={say.isPending}
        error={say.error}
        onLeave={leave}
        onMerge={(slugs) => tell({ what: "merge", into: entity.slug, slugs }, t.entity.merged)}
      />
      <Split
        open={doing === "split"}
        entity={entity}
        busy={say.isPending}
        error={say.error}
        onLeave={leave}
        onSplit={(name, documents) =>
          tell({ what: "split", slug: entity.slug, name, documents }, t.entity.splitUp)
        }
      />
    </div>
  );
}

function Rename({
  name,
  busy,
  onLeave,
  onRename,
}: {
  name: string;
  busy: boolean;
  onLeave: () => void;
  onRename: (name: string) => void;
}) {
  const t = usePlacesText();
  const [wanted, setWanted] = useState(name);
  const clean = wanted.trim();
  return (
    <form
      className="entity-rename"
      onSubmit={(event) => {
        event.preventDefault();
        if (clean !== "" && clean !== name) onRename(clean);
      }}
    >
      {/* One pressed "Rename" to write here. */}
      <Field
        label={t.entity.name}
        voice="own"
        value={wanted}
        maxLength={200}
        ref={(field) => field?.focus({ preventScroll: true })}
        onChange={(event) => setWanted(event.target.value)}
      />
      <div className="entity-rename-acts">
        <Button
          size="small"
          type="submit"
          tone="ink"
          disabled={busy || clean === "" || clean === name}
        >
          {t.entity.renameDo}
        </Button>
        <Button size="small" tone="quiet" onClick={onLeave}>
          {t.entity.leave}
        </Button>
      </div>
    </form>
  );
}

interface MergeProps {
  open: boolean;
  entity: EntityWhole;
  busy: boolean;
  error: unknown;
  onLeave: () => void;
  onMerge: (slugs: readonly string[]) => void;
}

function Merge(props: MergeProps) {
  const text = useText();
  const t = usePlacesText();
  return (
    <Dialog
      open={props.open}
      onClose={props.onLeave}
      title={t.entity.mergeTitle(props.entity.name)}
      closeLabel={text.frame.close}
    >
      <MergeChoice {...props} />
    </Dialog>
  );
}

function MergeChoice({ entity, busy, error, onMerge }: MergeProps) {
  const t = usePlacesText();
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState<readonly Entity[]>([]);
  const typed = useDeferredValue(words.trim());
  const found = useEntities(typed, "").data?.pages[0]?.items ?? [];
  const shown = [
    ...chosen,
    ...found.filter(
      (each) =>
        each.slug !== entity.slug &&
        !each.self &&
        !chosen.some((other) => other.slug === each.slug),
    ),
  ].slice(0, 12 + chosen.length);
  const toggle = (each: Entity): void =>
    setChosen(
      chosen.some((other) => other.slug === each.slug)
        ? chosen.filter((other) => other.slug !== each.slug)
        : [...chosen, each],
    );
  return (
    <>
      <p className="small mute">{t.entity.mergeHint}</p>
      <Field
        label={t.pages.search}
        className="quiet-label"
        type="search"
        placeholder={t.pages.search}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <ul className="entity-choice">
        {shown.map((each) => (
          <li key={each.slug}>
            <label>
              <input
                type="checkbox"
                checked={chosen.some((other) => other.slug === each.slug)}
                onChange={() => toggle(each)}
              />
              <Shape kind={each.kind} />
              <span className="own">{each.name}</span>
              <span className="tiny faint num">{t.pages.mentions(each.mentions)}</span>
            </label>
          </li>
        ))}
      </ul>
      <p className="small num entity-preview" role="status">
        {chosen.length === 0
          ? ""
          : t.entity.mergePreview(
              entity.name,
              chosen.length,
              entity.mentions + chosen.reduce((sum, each) => sum + each.mentions, 0),
            )}
      </p>
      {error === null ? null : <Trouble error={error} />}
      <div className="dialog-acts">
        <Button
          tone="ink"
          disabled={busy || chosen.length === 0}
          onClick={() => onMerge(chosen.map((each) => each.slug))}
        >
          {t.entity.mergeDo}
        </Button>
      </div>
    </>
  );
}

interface SplitProps {
  open: boolean;
  entity: EntityWhole;
  busy: boolean;
  error: unknown;
  onLeave: () => void;
  onSplit: (name: string, documents: readonly string[]) => void;
}

function Split(props: SplitProps) {
  const text = useText();
  const t = usePlacesText();
  return (
    <Dialog
      open={props.open}
      onClose={props.onLeave}
      title={t.entity.splitTitle(props.entity.name)}
      closeLabel={text.frame.close}
    >
      <SplitChoice {...props} />
    </Dialog>
  );
}

function SplitChoice({ entity, busy, error, onSplit }: SplitProps) {
  const t = usePlacesText();
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const query = useNaming(entity.slug);
  const documents = query.data?.pages.flatMap((page) => page.items) ?? [];
  const going = documents
    .filter((each) => chosen.includes(each.id))
    .reduce((sum, each) => sum + each.passages, 0);
  const clean = name.trim();
  return (
    <>
      <p className="small mute">{t.entity.splitHint}</p>
      <Field
        label={t.entity.splitName}
        voice="own"
        value={name}
        maxLength={200}
        onChange={(event) => setName(event.target.value)}
      />
      <ul className="entity-choice">
        {documents.map(({ id, title, passages }) => (
          <li key={id}>
            <label>
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={() =>
                  setChosen(
                    chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id],
                  )
                }
              />
              <span className="clip">{title}</span>
              <span className="tiny faint num">{t.pages.mentions(passages)}</span>
            </label>
          </li>
        ))}
      </ul>
      {query.data === undefined ? (
        query.isError ? (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Loading words={t.entity.splitLoading} lines={3} />
        )
      ) : null}
      {query.hasNextPage ? (
        <Button
          size="small"
          tone="quiet"
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t.common.more}
        </Button>
      ) : null}
      <p className="small num entity-preview" role="status">
        {chosen.length === 0 || clean === ""
          ? ""
          : t.entity.splitPreview(going, clean, chosen.length)}
      </p>
      {error === null ? null : <Trouble error={error} />}
      <div className="dialog-acts">
        <Button
          tone="ink"
          disabled={busy || chosen.length === 0 || clean === ""}
          onClick={() => onSplit(clean, chosen)}
        >
          {t.entity.splitDo}
        </Button>
      </div>
    </>
  );
}
