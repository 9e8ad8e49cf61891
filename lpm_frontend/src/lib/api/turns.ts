/** One question and the stream that answers it. */
import { problemFrom, silence } from "./client";
import { readEvents } from "./sse";
import type { Citation, Item, Part, Problem, RoleWish, Turn } from "./types";

export type TurnEvent =
  | {
      readonly kind: "evidence";
      readonly turn: Turn;
      readonly items: readonly Item[];
      readonly level: string;
      readonly answer_id: string;
    }
  | { readonly kind: "waiting"; readonly ahead: number }
  | {
      readonly kind: "token";
      readonly part: number;
      readonly voice: Part["kind"];
      readonly text: string;
    }
  | { readonly kind: "citation"; readonly part: number; readonly citation: Citation }
  | { readonly kind: "done"; readonly turn: Turn }
  | { readonly kind: "exhausted"; readonly turn: Turn }
  | { readonly kind: "failed"; readonly problem: Problem; readonly turn: Turn | null };

/**
 * Put the stream's own names into the shape of {@link TurnEvent}. An event of a later node that
 * this page does not know is passed over.
 */
function understand(event: string, data: string): TurnEvent | null {
  const body: unknown = JSON.parse(data);
  switch (event) {
    case "evidence":
      return {
        kind: "evidence",
        ...(body as { turn: Turn; items: Item[]; level: string; answer_id: string }),
      };
    case "waiting":
      return { kind: "waiting", ...(body as { ahead: number }) };
    case "token": {
      const token = body as { part: number; kind: Part["kind"]; text: string };
      return { kind: "token", part: token.part, voice: token.kind, text: token.text };
    }
    case "citation":
      return { kind: "citation", ...(body as { part: number; citation: Citation }) };
    case "done":
      return { kind: "done", ...(body as { turn: Turn }) };
    case "exhausted":
      return { kind: "exhausted", ...(body as { turn: Turn }) };
    case "failed":
      return { kind: "failed", ...(body as { problem: Problem; turn: Turn | null }) };
    default:
      return null;
  }
}

/**
 * Ask, `to` naming one of several roles, and give each event as it comes; without words a role goes
 * on by itself. Aborting closes the connection, which stops the model. Throws `NodeProblem`.
 */
export const takeTurn = (
  conversation: string,
  text: string,
  to: string,
  clientId: string,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent> =>
  stream(
    `/api/conversations/${encodeURIComponent(conversation)}/turns`,
    { text, to, client_id: clientId },
    signal,
  );

/** Have the same question answered again. */
export const answerAgain = (
  conversation: string,
  turn: string,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent> =>
  stream(
    `/api/conversations/${encodeURIComponent(conversation)}/turns/${encodeURIComponent(turn)}/again`,
    {},
    signal,
  );

/** Say something to a role that may not be kept yet; nothing of it is kept. */
export async function* tryRole(
  role: RoleWish,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<Extract<TurnEvent, { kind: "token" | "citation" | "failed" }>> {
  for await (const event of stream("/api/roles/try", { role, text }, signal)) {
    if (event.kind === "token" || event.kind === "citation" || event.kind === "failed") yield event;
  }
}

async function* stream(path: string, body: object, signal: AbortSignal): AsyncGenerator<TurnEvent> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: "POST",
      credentials: "same-origin",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify(body),
      signal,
    });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw silence();
  }
  if (!response.ok || response.body === null)
    throw problemFrom(response.status, await response.json().catch(() => null));
  for await (const { event, data } of readEvents(response.body)) {
    const understood = understand(event, data);
    if (understood) yield understood;
  }
}
