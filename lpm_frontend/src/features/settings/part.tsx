import type { ReactNode } from "react";

/** A part of a section: its name, what it means, and what one can do. */
export function Part({
  title,
  lead,
  children,
}: {
  title: string;
  lead: string;
  children: ReactNode;
}) {
  return (
    <div className="part">
      <h3>{title}</h3>
      <p className="small mute">{lead}</p>
      {children}
    </div>
  );
}
