"use client";
import Link from "next/link";
import { useEffect, useRef, type KeyboardEvent } from "react";

interface ViewsProps<T extends string> {
  label: string;
  views: readonly T[];
  current: T;
  words: Readonly<Record<T, string>>;
  href: (view: T) => string;
}

/** The ways to look at a place: links in its bar, which the arrow keys walk along. */
export function Views<T extends string>({ label, views, current, words, href }: ViewsProps<T>) {
  const tabs = useRef<HTMLElement>(null);
  // On a phone the tabs are wider than the screen: where one is, is in sight.
  useEffect(() => {
    const here = tabs.current?.querySelector("[aria-current]");
    // its result is not returned: newer browsers give a promise, which is no clean-up
    here?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [current]);
  const walk = (event: KeyboardEvent<HTMLElement>): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const links = [...event.currentTarget.querySelectorAll("a")];
    const at = links.findIndex((link) => link === document.activeElement);
    if (by === 0 || at === -1) return;
    event.preventDefault();
    links[(at + by + links.length) % links.length]?.focus();
  };
  return (
    // The keys are for the links in it.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <nav className="views" ref={tabs} aria-label={label} onKeyDown={walk}>
      {views.map((each) => (
        <Link key={each} href={href(each)} aria-current={each === current ? "page" : undefined}>
          {words[each]}
        </Link>
      ))}
    </nav>
  );
}
