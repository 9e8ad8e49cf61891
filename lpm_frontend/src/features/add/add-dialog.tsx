"use client";
import { useCallback, useState } from "react";
import { useReadings } from "@/lib/api/arrivals";
import { rowOf } from "@/lib/arrival-rows";
import { useCommand, type CommandArguments } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { clearArrivals, takeFiles, useSkipped } from "@/lib/intake";
import { ArrivalList } from "@/ui/arrival-list";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { DropBox } from "@/ui/drop";
import { Check, Field } from "@/ui/field";
import { PasteForm } from "./paste";

const tagsOf = (words: string): readonly string[] =>
  words
    .split(/[,、，]/u)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");

/** Adding: files, a folder, or a pasted text. Reading goes on when the dialog is closed. */
export function AddDialog() {
  const text = useText();
  const [open, setOpen] = useState(false);
  useCommand(
    "add",
    useCallback((detail: CommandArguments["add"]) => {
      clearArrivals();
      if (detail?.files) takeFiles(detail.files);
      setOpen(true);
    }, []),
  );
  return (
    <Dialog
      open={open}
      onClose={() => setOpen(false)}
      title={text.add.title}
      closeLabel={text.frame.close}
      shape="wide"
    >
      <AddForm onDone={() => setOpen(false)} />
    </Dialog>
  );
}

function AddForm({ onDone }: { onDone: () => void }) {
  const text = useText();
  const skipped = useSkipped();
  const [pasting, setPasting] = useState(false);
  const [closed, setClosed] = useState(false);
  const [tags, setTags] = useState("");
  const rows = useReadings().map(rowOf);
  const options = { private: closed, tags: tagsOf(tags) };
  return (
    <>
      <p className="mute">{text.add.lead}</p>
      {pasting ? (
        <PasteForm options={options} onDone={() => setPasting(false)} />
      ) : (
        <DropBox
          onFiles={(files, folder) => takeFiles(files, options, folder)}
          aside={
            <button type="button" className="link" onClick={() => setPasting(true)}>
              {text.add.paste}
            </button>
          }
        >
          <ArrivalList rows={rows} />
          {skipped > 0 ? <p className="tiny faint">{text.add.skipped(skipped)}</p> : null}
        </DropBox>
      )}
      <div className="add-options">
        <Field
          label={text.add.tags}
          value={tags}
          onChange={(event) => setTags(event.target.value)}
        />
        <Check
          label={text.library.private}
          means={text.library.privateMeans}
          checked={closed}
          onChange={setClosed}
        />
      </div>
      <div className="add-foot">
        <p className="tiny faint">{text.add.kinds}</p>
        {pasting ? (
          <Button tone="quiet" onClick={() => setPasting(false)}>
            {text.add.pasteBack}
          </Button>
        ) : (
          <Button onClick={onDone}>{text.add.done}</Button>
        )}
      </div>
    </>
  );
}
