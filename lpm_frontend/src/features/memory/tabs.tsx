"use client";
import type { ReactNode } from "react";
import { useText } from "@/lib/i18n";
import { useTabsText } from "@/lib/i18n/tabs";
import { Bar } from "@/ui/bar";
import { Views } from "@/ui/views";
import { VIEWS, type Tab } from "./views";

const href = (view: Tab): string => `/memory?view=${view}`;

/** The head of every way to look at one's memory. */
export function MemoryBar({ view, children }: { view: Tab; children?: ReactNode }) {
  const text = useText();
  const t = useTabsText();
  return (
    <Bar title={text.places.memory}>
      <Views label={t.tabs.label} views={VIEWS} current={view} words={t.tabs} href={href} />
      {children}
    </Bar>
  );
}
