import { describe, expect, it } from "vitest";
import { readEvents, takeEvents, type StreamEvent } from "./sse";

const WHOLE =
  'event: evidence\ndata: {"items": []}\n\n: a comment\n\nevent: token\r\ndata: {"text": "雨のあと"}\r\n\r\nevent: done\ndata: {"a":\ndata: 1}\n\n';

function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

const all = async (stream: ReadableStream<Uint8Array>): Promise<StreamEvent[]> => {
  const events: StreamEvent[] = [];
  for await (const event of readEvents(stream)) events.push(event);
  return events;
};

describe("an event stream", () => {
  const expected = [
    { event: "evidence", data: '{"items": []}' },
    { event: "token", data: '{"text": "雨のあと"}' },
    { event: "done", data: '{"a":\n1}' },
  ];

  it("is the same wherever the network cuts it, in the middle of a character too", async () => {
    const bytes = new TextEncoder().encode(WHOLE);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(await all(streamOf([bytes.slice(0, at), bytes.slice(at)]))).toEqual(expected);
    }
  });

  it("keeps what is not complete for the next bytes", () => {
    expect(takeEvents("event: token\ndata: 1\n\nevent: tok")).toEqual({
      events: [{ event: "token", data: "1" }],
      rest: "event: tok",
    });
  });

  it("gives the last event of a stream that ends without an empty line", async () => {
    expect(await all(streamOf([new TextEncoder().encode("event: done\ndata: {}")]))).toEqual([
      { event: "done", data: "{}" },
    ]);
  });
});
