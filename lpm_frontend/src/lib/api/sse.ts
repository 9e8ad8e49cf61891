/**
 * A small reader of `text/event-stream`, for the turns of a conversation. It knows `event`, `data`
 * and comments; the node sends no more.
 */

export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Cut complete events off the front of `buffer`; what is left waits for the next bytes. */
export function takeEvents(buffer: string): { events: StreamEvent[]; rest: string } {
  const blocks = buffer.replaceAll("\r\n", "\n").split("\n\n");
  const rest = blocks.pop() ?? "";
  const events: StreamEvent[] = [];
  for (const block of blocks) {
    let event = "message";
    const data: string[] = [];
    for (const line of block.split("\n")) {
      const [, field, value] = /^([a-z]+): ?(.*)$/s.exec(line) ?? [];
      if (field === "event") event = value ?? "";
      if (field === "data") data.push(value ?? "");
    }
    if (data.length > 0) events.push({ event, data: data.join("\n") });
  }
  return { events, rest };
}

/**
 * Read a response's body as events until it ends. Stopping the iteration closes the connection, and
 * with it the model.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffer = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      buffer += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A lone \r may be half of a \r\n that the network cut in two.
      if (!done && buffer.endsWith("\r")) continue;
      const { events, rest } = takeEvents(done ? `${buffer}\n\n` : buffer);
      buffer = rest;
      yield* events;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
