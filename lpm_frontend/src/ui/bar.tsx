"use client";
import { createContext, useContext, type ReactNode } from "react";
import { useTitle } from "@/lib/title";

interface BarSlots {
  /** Before the title on a phone: whose node this is. */
  readonly lead: ReactNode;
  /** At the right of a desk: find, language, light. */
  readonly tools: ReactNode;
  /** At the right of a phone: the seal line. */
  readonly phone: ReactNode;
}
const BarContext = createContext<BarSlots>({ lead: null, tools: null, phone: null });
export const BarProvider = BarContext.Provider;

/** The head of a page: its name, what belongs to it, and the tools that stand on every screen. */
export function Bar({
  title,
  heading,
  children,
}: {
  title: string;
  heading?: ReactNode;
  children?: ReactNode;
}) {
  const { lead, tools, phone } = useContext(BarContext);
  useTitle(title);
  return (
    <header className="bar">
      <span className="bar-lead">{lead}</span>
      {heading ?? <h1 className="clip">{title}</h1>}
      {children}
      <div className="bar-tools">{tools}</div>
      <div className="bar-phone">{phone}</div>
    </header>
  );
}
