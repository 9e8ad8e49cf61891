"use client";
import {
  FolderInput,
  LockKeyhole,
  LockKeyholeOpen,
  RotateCcw,
  Tag,
  Trash2,
  Undo2,
  X,
} from "lucide-react";
import { useState } from "react";
import { useBulk, useCounts, type Change, type Filter } from "@/lib/api/library";
import { useDock } from "@/lib/dock";
import { useText } from "@/lib/i18n";
import { Button, IconButton } from "@/ui/button";
import { Choose, Options } from "@/ui/choose";
import { Field } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import type { Selection } from "./selection";

interface BulkBarProps {
  selection: Selection;
  total: number;
  filter: Filter;
  /** Some of the list could not be read. */
  failed: boolean;
}

/** What can be done to everything that is chosen, with the way back. */
export function BulkBar(props: BulkBarProps) {
  const chosen = props.selection.count(props.total);
  return chosen === 0 ? null : <Bar {...props} chosen={chosen} />;
}

function Bar({ selection, total, filter, failed, chosen }: BulkBarProps & { chosen: number }) {
  const text = useText();
  const bulk = useBulk();
  const dock = useDock<HTMLElement>();
  const act = (change: Change, sentence: (n: number) => string): void =>
    bulk.mutate(
      { chosen: selection.chosen(filter), change, sentence },
      {
        onSuccess: () => {
          if (change.delete || change.restore || change.retry) selection.clear();
        },
      },
    );
  return (
    <section className="lib-bulk" ref={dock} aria-label={text.shelves.bar}>
      <p className="num" role="status">
        <b>{text.shelves.chosen(chosen)}</b>
      </p>
      {chosen < total ? (
        <Button size="small" tone="quiet" onClick={selection.chooseAll}>
          {text.shelves.chooseAll(total)}
        </Button>
      ) : null}
      <span className="lib-bulk-acts">
        {filter.deleted ? (
          <IconButton
            worded
            icon={Undo2}
            label={text.shelves.restore}
            onClick={() => act({ restore: true }, text.shelves.restored)}
          />
        ) : (
          <>
            <TagBoxes filter={filter} act={act} />
            <Choose label={text.shelves.move} chosen="">
              {(close) => (
                <Folder
                  onDone={(folder) => {
                    act({ folder }, text.shelves.moved);
                    close();
                  }}
                />
              )}
            </Choose>
            <IconButton
              icon={LockKeyhole}
              label={text.shelves.makePrivate}
              worded="wide"
              onClick={() => act({ private: true }, text.shelves.madePrivate)}
            />
            <IconButton
              icon={LockKeyholeOpen}
              label={text.shelves.makeOpen}
              worded="wide"
              onClick={() => act({ private: false }, text.shelves.madeOpen)}
            />
            {failed ? (
              <IconButton
                icon={RotateCcw}
                label={text.shelves.retry}
                worded="wide"
                onClick={() => act({ retry: true }, text.shelves.retried)}
              />
            ) : null}
            <IconButton
              icon={Trash2}
              label={text.shelves.delete}
              worded="wide"
              onClick={() => act({ delete: true }, text.shelves.deletedDone)}
            />
          </>
        )}
        <IconButton icon={X} label={text.shelves.unchoose} onClick={selection.clear} />
      </span>
      {filter.deleted ? null : (
        <p className="lib-bulk-means tiny faint">
          {text.library.private}: {text.library.privateMeans}
        </p>
      )}
      {bulk.isError ? <Trouble error={bulk.error} /> : null}
    </section>
  );
}

type Act = (change: Change, sentence: (n: number) => string) => void;

function TagBoxes({ filter, act }: { filter: Filter; act: Act }) {
  const text = useText();
  const [name, setName] = useState("");
  const tags = Object.entries(useCounts({}).data?.tags ?? {});
  const here = Object.entries(useCounts(filter).data?.tags ?? {});
  const options = (known: readonly [string, number][]) =>
    known
      .toSorted(([, m], [, n]) => n - m)
      .map(([value, count]) => ({ value, words: value, count }));
  const add = (tag: string): void => act({ add_tags: [tag] }, (n) => text.shelves.tagged(tag, n));
  return (
    <>
      <Choose label={text.shelves.addTag} chosen="">
        {(close) => (
          <>
            <form
              className="choose-form"
              onSubmit={(event) => {
                event.preventDefault();
                if (name.trim() !== "") add(name.trim());
                setName("");
                close();
              }}
            >
              <Field
                label={text.shelves.newTag}
                className="quiet-label"
                placeholder={text.shelves.newTag}
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
              <Button size="small" type="submit" icon={Tag}>
                {text.shelves.addTagDo}
              </Button>
            </form>
            <Options
              empty={text.shelves.nothingToChoose}
              options={options(tags)}
              chosen={[]}
              onChange={([tag]) => {
                if (tag) add(tag);
                close();
              }}
            />
          </>
        )}
      </Choose>
      {here.length > 0 ? (
        <Choose label={text.shelves.removeTag} chosen="">
          {(close) => (
            <Options
              empty={text.shelves.nothingToChoose}
              options={options(here)}
              chosen={[]}
              onChange={([tag]) => {
                if (tag) act({ remove_tags: [tag] }, (n) => text.shelves.untagged(tag, n));
                close();
              }}
            />
          )}
        </Choose>
      ) : null}
    </>
  );
}

/** Name a folder, or choose one that there is. */
export function Folder({ now = "", onDone }: { now?: string; onDone: (folder: string) => void }) {
  const text = useText();
  const [name, setName] = useState(now);
  const folders = Object.entries(useCounts({}).data?.folders ?? {}).filter(([path]) => path !== "");
  return (
    <>
      <form
        className="choose-form"
        onSubmit={(event) => {
          event.preventDefault();
          onDone(name.trim());
        }}
      >
        <Field
          label={text.shelves.folderSet}
          className="quiet-label"
          hint={text.shelves.moveHint}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button size="small" type="submit" icon={FolderInput}>
          {text.shelves.moveDo}
        </Button>
      </form>
      <Options
        single
        empty={text.shelves.nothingToChoose}
        options={folders.map(([value, count]) => ({ value, words: value, count }))}
        chosen={now === "" ? [] : [now]}
        onChange={([folder]) => {
          if (folder) onDone(folder);
        }}
      />
    </>
  );
}
