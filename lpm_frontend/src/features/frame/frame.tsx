"use client";
import { LockKeyhole, Moon, PenLine, Search, Send, Sun } from "lucide-react";
import Link from "next/link";
import { useMemo, useState, type ReactNode } from "react";
import { usePrefs } from "@/lib/api/identity";
import { useStatus } from "@/lib/api/status";
import { send } from "@/lib/commands";
import { useLanguage, useText } from "@/lib/i18n";
import { resolveTheme } from "@/lib/prefs";
import { BarProvider } from "@/ui/bar";
import { IconButton } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Command } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { Kbd } from "@/ui/kbd";
import { Seal } from "@/ui/seal";
import { Foot, UndoLine, useSealLine } from "./foot";
import { PLACES } from "./places";
import { TabBar } from "./tab-bar";
import { Waits } from "./waits";

/** Language and light as two small tools. */
export function LookTools() {
  const text = useText();
  const language = useLanguage();
  const { prefs, change } = usePrefs();
  const dark = resolveTheme(prefs.theme) === "dark";
  const other = language === "ja" ? "en" : "ja";
  return (
    <>
      <button type="button" className="ib" lang={other} onClick={() => change({ language: other })}>
        {other === "ja" ? text.frame.toJapanese : text.frame.toEnglish}
      </button>
      <IconButton
        icon={dark ? Sun : Moon}
        label={dark ? text.frame.themeLight : text.frame.themeDark}
        onClick={() => change({ theme: dark ? "light" : "dark" })}
      />
    </>
  );
}

interface FrameProps {
  here: string;
  /** The lower half of the spine: the shelf of the place that is open. */
  shelf: ReactNode;
  /** What runs now. */
  tray: ReactNode;
  /**
   * The node fell silent after it had answered: everything stays on screen, with this sentence
   * above it.
   */
  silent: boolean;
  children: ReactNode;
}

export function Frame({ here, shelf, tray, silent, children }: FrameProps) {
  const text = useText();
  const status = useStatus().data;
  const seal = useSealLine(status);
  const [sheet, setSheet] = useState(false);
  const name = status?.name ?? "";
  const slots = useMemo(
    () => ({
      lead: <Seal name={name} size="s" />,
      tools: (
        <>
          <button
            type="button"
            className="ib find"
            aria-label={text.frame.find}
            onClick={() => send("palette")}
          >
            <Icon of={Search} />
            <span>{text.frame.find}</span>
            <Kbd>modK</Kbd>
          </button>
          <IconButton icon={PenLine} label={text.frame.capture} onClick={() => send("capture")} />
          <LookTools />
        </>
      ),
      phone: (
        <button
          type="button"
          className={seal.went ? "nil went" : "nil"}
          onClick={() => setSheet(true)}
          aria-label={`${seal.sentence}. ${text.frame.state}`}
        >
          <Icon of={seal.went ? Send : LockKeyhole} />
          <span className="nil-words">{seal.sentence}</span>
        </button>
      ),
    }),
    [name, seal.sentence, seal.went, text],
  );
  return (
    <div className="app">
      <a className="skip" href="#page">
        {text.app.skip}
      </a>
      <nav className="spine" aria-label={text.places.label}>
        <div className="whose">
          <Seal name={name} />
          <div>
            <b className="clip">{name || text.app.name}</b>
            <span className="sub">{status ? text.counts.memories(status.memories) : " "}</span>
          </div>
        </div>
        <div className="places">
          {PLACES.map((place, index) => (
            <Link
              key={place.id}
              href={place.href}
              aria-current={here === place.href ? "page" : undefined}
            >
              <Icon of={place.icon} />
              <span>{text.places[place.id]}</span>
              <Waits place={place} />
              <span className="k" aria-hidden="true">
                {index + 1}
              </span>
            </Link>
          ))}
        </div>
        <div className="shelf">{shelf}</div>
        <Foot status={status} tray={tray} here={here} />
      </nav>
      <main className="page" id="page" tabIndex={-1}>
        <BarProvider value={slots}>{children}</BarProvider>
        <UndoLine className="undo-strip" />
        {silent ? (
          <div className="outage" role="alert">
            <b>{text.problem.silentTitle}</b>
            <span>{text.problem.silentDetail}</span>
            <span>
              {text.problem.silentHint} <Command>lpm start</Command>
            </span>
          </div>
        ) : null}
      </main>
      <TabBar here={here} tools={<LookTools />} />
      <Dialog
        open={sheet}
        onClose={() => setSheet(false)}
        title={text.frame.state}
        closeLabel={text.frame.close}
        shape="sheet"
      >
        <div className="state-sheet">
          <Foot status={status} tray={tray} here={here} onGo={() => setSheet(false)} />
        </div>
        <div className="row wrap">
          <LookTools />
        </div>
      </Dialog>
    </div>
  );
}
