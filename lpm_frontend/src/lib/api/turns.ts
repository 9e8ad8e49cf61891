/** One question and the stream that answers it. */
import { problemFrom, silence } from "./client";
import { answerEvent, trialEvent } from "./events";
import { readEvents, type StreamEvent } from "./sse";
import type { AnswerEvent, RoleWish, TrialEvent } from "./types";

export interface Asked {
  readonly text: string;
  /** Which of several roles answers; empty: whose turn it is. */
  readonly to: string;
  /** With the training in use, or by the model without it. */
  readonly trained: boolean;
}

/**
 * Ask, and give each event as it comes; without words a role goes on by itself. Aborting closes the
 * connection, which stops the model. Throws `NodeProblem`.
 */
export const takeTurn = (
  conversation: string,
  asked: Asked,
  clientId: string,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> =>
  stream(
    `/api/conversations/${encodeURIComponent(conversation)}/turns`,
    { ...asked, client_id: clientId },
    answerEvent,
    signal,
  );

/** Have the same question answered again. */
export const answerAgain = (
  conversation: string,
  turn: string,
  trained: boolean,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> =>
  stream(
    `/api/conversations/${encodeURIComponent(conversation)}/turns/${encodeURIComponent(turn)}/again?trained=${trained}`,
    {},
    answerEvent,
    signal,
  );

/** Say something to a role that may not be kept yet; nothing of it is kept. */
export const tryRole = (
  role: RoleWish,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<TrialEvent> => stream("/api/roles/try", { role, text }, trialEvent, signal);

async function* stream<E>(
  path: string,
  body: object,
  understand: (event: StreamEvent) => E | null,
  signal: AbortSignal,
): AsyncGenerator<E> {
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
  for await (const event of readEvents(response.body)) {
    const understood = understand(event);
    if (understood) yield understood;
  }
}
