"use client";
import Link from "next/link";
import { useEffect, useRef, type KeyboardEvent, type ReactNode } from "react";
import { useText } from "@/lib/i18n";
import { useTabsText } from "@/lib/i18n/tabs";
import { Bar } from "@/ui/bar";
import { VIEWS, type View } from "./views";

const href = (view: View): string => `/memory?view=${view}`;

/** The head of every way to look at one's memory: links, which the arrow keys walk along. */
export function MemoryBar({ view, children }: { view: View; children?: ReactNode }) {
  const text = useText();
  const t = useTabsText();
  const tabs = useRef<HTMLElement>(null);
  // On a phone the tabs are wider than the screen: where one is, is in sight.
  useEffect(() => {
    const here = tabs.current?.querySelector("[aria-current]");
    here?.scrollIntoView({ block: "nearest", inline: "center" }); // its result is not returned: newer browsers give a promise, which is no clean-up
  }, [view]);
  const walk = (event: KeyboardEvent<HTMLElement>): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const links = [...event.currentTarget.querySelectorAll("a")];
    const at = links.findIndex((link) => link === document.activeElement);
    if (by === 0 || at === -1) return;
    event.preventDefault();
    links[(at + by + links.length) % links.length]?.focus();
  };
  return (
    <Bar title={text.places.memory}>
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are for the links in it */}
        <nav className="views" ref={tabs} aria-label={t.tabs.label} onKeyDown={walk}>
          {VIEWS.map((each) => (
            <Link key={each} href={href(each)} aria-current={each === view ? "page" : undefined}>
              {t.tabs[each]}
            </Link>
          ))}
        </nav>
        {children}
    </Bar>
  );
}
