import type { ReactNode } from "react";

/** A part of Settings: its name, what it means, and what can be changed. */
export function Section({
  id,
  title,
  lead,
  children,
}: {
  id: string;
  title: string;
  lead?: string;
  children: ReactNode;
}) {
  return (
    <section className="sec" id={id} aria-labelledby={`${id}-name`}>
      <header>
        <h2 id={`${id}-name`}>{title}</h2>
        {lead ? <p>{lead}</p> : null}
      </header>
      {children}
    </section>
  );
}
