"use client";
import { Search } from "lucide-react";
import { useId, useRef, useState, type KeyboardEvent } from "react";
import { useText } from "@/lib/i18n";
import { Icon } from "@/ui/icon";
import { Kbd } from "@/ui/kbd";
import type { Entry } from "./entries";
import { useGroups } from "./groups";

/** The line of the palette and what it finds. */
export function Finder({ onDone }: { onDone: () => void }) {
  const text = useText();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const groups = useGroups(typed, onDone);
  const flat = groups.flatMap((group) => group.entries);
  const at = Math.min(chosen, Math.max(0, flat.length - 1));
  const optionId = (entry: Entry | undefined): string | undefined =>
    entry ? `${id}-${entry.id}` : undefined;
  const move = (to: number): void => {
    const next = (to + flat.length) % Math.max(1, flat.length);
    setChosen(next);
    list.current?.querySelectorAll("[role=option]")[next]?.scrollIntoView({ block: "nearest" });
  };
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") move(at + 1);
    else if (event.key === "ArrowUp") move(at - 1);
    else if (event.key === "Enter") flat[at]?.run();
    else return;
    event.preventDefault();
  };
  return (
    <div className="palette">
      <div className="palette-line">
        <Icon of={Search} />
        <input
          // The dialog opened before this was there: the line takes the focus that the dialog would
          // have given it.
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          role="combobox"
          aria-label={text.palette.label}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={optionId(flat[at])}
          aria-autocomplete="list"
          placeholder={text.palette.placeholder}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
        <Kbd>Esc</Kbd>
      </div>
      <div
        className="palette-list"
        id={`${id}-list`}
        role="listbox"
        aria-label={text.palette.results(flat.length)}
        ref={list}
      >
        {groups.map((group) => (
          <div
            key={group.id}
            className="palette-group"
            role="group"
            aria-labelledby={`${id}-${group.id}-name`}
          >
            <p className="label" id={`${id}-${group.id}-name`}>
              {group.name}
            </p>
            {group.entries.map((entry) => (
              // The line above holds the focus and moves the choice; the pointer only points.
              /* eslint-disable-next-line
                 jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus */
              <div
                key={entry.id}
                id={optionId(entry)}
                role="option"
                aria-selected={flat[at] === entry}
                className="palette-item"
                onClick={entry.run}
                onMouseMove={() => setChosen(flat.indexOf(entry))}
              >
                <Icon of={entry.icon} />
                <span className={entry.own ? "what own clip" : "what clip"}>{entry.words}</span>
                {entry.from ? <span className="from clip">{entry.from}</span> : null}
                {entry.keys ? <Kbd>{entry.keys}</Kbd> : null}
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
