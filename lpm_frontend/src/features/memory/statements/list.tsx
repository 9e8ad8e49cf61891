"use client";
import Link from "next/link";
import type { RefObject } from "react";
import type { Memory } from "@/lib/api/types";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { spoken } from "@/lib/statement";
import { Line, Marks } from "./facts";
import { hrefOf, type MemoryWish } from "./wish";

/** The day of the person's own clock. */
const dayOf = (iso: string): string => new Date(iso).toLocaleDateString("sv");

/** Statements under the day from which they are believed, the newest first. */
export function Statements({
  memories,
  wish,
  list,
}: {
  memories: readonly Memory[];
  wish: MemoryWish;
  list: RefObject<HTMLElement | null>;
}) {
  const text = useText();
  const language = useLanguage();
  const today = dayOf(new Date().toISOString());
  const days = new Map<string, Memory[]>();
  for (const memory of memories) {
    const day = dayOf(
      wish.forgotten ? (memory.believed_until ?? memory.believed_from) : memory.believed_from,
    );
    days.set(day, [...(days.get(day) ?? []), memory]);
  }
  return (
    <section className="memory-list" aria-label={text.memory.list} ref={list}>
      {[...days].map(([day, those]) => (
        <div key={day}>
          <h2 className="memory-day num">
            {day === today ? text.memory.today : formatDate(day, language)} · {those.length}
          </h2>
          <ul>
            {those.map((memory) => (
              <li key={memory.id} className="stated" data-open={memory.id === wish.id}>
                <Link
                  className="own stated-words"
                  href={hrefOf({ ...wish, id: memory.id })}
                  replace={wish.id !== ""}
                  aria-current={memory.id === wish.id ? "true" : undefined}
                >
                  {spoken(memory)}
                </Link>
                <div className="stated-facts">
                  <Marks memory={memory} />
                  {memory.entities.map((name) => (
                    <Link
                      key={name}
                      className="link stated-about"
                      href={hrefOf({ ...wish, about: name })}
                      aria-label={text.memory.aboutOnly(name)}
                    >
                      {name}
                    </Link>
                  ))}
                  <Line memory={memory} />
                </div>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}
