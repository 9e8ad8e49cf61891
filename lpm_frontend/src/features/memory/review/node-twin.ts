/** A small node for tests: it keeps what was decided, and breaks when it is told to. */
import type { Finding, ReviewedOne } from "@/lib/api/types";
import { createSession, type Door, type Session } from "./session";

export const finding = (n: number): Finding => ({
  id: `d_${String(n)}.0-9`,
  content: `Sentence ${String(n)}.`,
  timestamp: null,
  source: "diary#L1",
  document: { id: `d_${String(n)}`, title: "Diary", kind: "markdown" } as Finding["document"],
  start: 0,
  end: 9,
  decision: null,
  kind: "passage",
  inferred: true,
  entities: [],
  confidence: null,
});

/** Keeps decisions in memory, pages of `size`. */
export class NodeTwin implements Door {
  readonly decided = new Map<string, { verdict: "keep" | "dismiss" | "forget"; at: string }>();
  readonly heard: number[] = [];
  broken = false;
  /** What it does is done, and the answer is lost. */
  deaf = false;
  private moments = 0;
  constructor(
    readonly every: readonly Finding[],
    readonly size = 4,
  ) {}
  page(behind: number) {
    if (this.broken) return Promise.reject(new Error("silent"));
    const open = this.every.filter(({ id }) => !this.decided.has(id));
    return Promise.resolve({
      items: open.slice(behind, behind + this.size),
      total: open.length,
      further: false,
    });
  }
  decide(items: Parameters<Door["decide"]>[0]) {
    if (this.broken) return Promise.reject(new Error("silent"));
    this.moments += 1;
    const at = `2026-03-14T09:00:0${String(this.moments)}Z`;
    const answered = items.map(({ id, decision }): ReviewedOne => {
      const before = this.decided.get(id);
      if (!before) this.decided.set(id, { verdict: decision, at });
      const held = before ?? { verdict: decision, at };
      return {
        id,
        outcome: before ? "elsewhere" : "decided",
        decision: { id, ...held },
        problem: null,
      };
    });
    this.heard.push(items.length);
    return this.deaf ? Promise.reject(new Error("silent")) : Promise.resolve({ items: answered });
  }
  takeBack(items: Parameters<Door["takeBack"]>[0]) {
    if (this.broken) return Promise.reject(new Error("silent"));
    return Promise.resolve({
      items: items.map(({ id, at }) => {
        const same = this.decided.get(id)?.at === at;
        if (same) this.decided.delete(id);
        return { id, outcome: same ? ("open" as const) : ("changed" as const) };
      }),
    });
  }
  changed() {
    // nothing else is on the screen
  }
}

/** A sitting at the first page. */
export async function begun(node: NodeTwin): Promise<Session> {
  const session = createSession({
    page: (behind) => node.page(behind),
    decide: (items) => node.decide(items),
    takeBack: (items) => node.takeBack(items),
    changed: () => node.changed(),
  });
  session.load();
  await session.settled();
  return session;
}
