/** Servers on loopback: one that hands out a model file slowly, one that embeds. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const listen = (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ server: Server; address: string }> =>
  new Promise((done) => {
    const server = createServer(answer);
    server.listen(0, "127.0.0.1", () =>
      done({ server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
    );
  });

export interface Shelf {
  readonly url: string;
  /** Send the rest at once from now on. */
  readonly hurry: () => void;
  readonly stop: () => void;
}

/** Hand out a file of this many bytes, a piece at a time; goes on where a Range says. */
export async function shelf(name: string, bytes: number): Promise<Shelf> {
  const content = Buffer.alloc(bytes, 7);
  content.write("GGUF");
  let pause = 60;
  const { server, address } = await listen((request, response) => {
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, {
      etag: '"file"',
      "content-length": bytes - from,
      ...(from > 0 ? { "content-range": `bytes ${from}-${bytes - 1}/${bytes}` } : {}),
    });
    let at = from;
    const send = (): void => {
      if (response.destroyed) return;
      if (at >= bytes) {
        response.end();
        return;
      }
      response.write(content.subarray(at, at + 65_536));
      at += 65_536;
      setTimeout(send, pause);
    };
    send();
  });
  return { url: `${address}/${name}`, hurry: () => (pause = 0), stop: () => void server.close() };
}

/** Words hashed into 64 numbers, as an OpenAI-compatible endpoint gives them. */
function embed(text: string): number[] {
  const vector = Array.from({ length: 64 }, () => 0);
  for (const word of text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [" "]) {
    for (const part of [word, ...word]) {
      let hash = 7;
      for (const sign of part) hash = (hash * 31 + (sign.codePointAt(0) ?? 0)) % 1_000_003;
      vector[hash % 64] = (vector[hash % 64] ?? 0) + (part === word ? 2 : 0.2);
    }
  }
  return vector;
}

export async function embeddings(pause = 0): Promise<{ url: string; stop: () => void }> {
  const { server, address } = await listen((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const reply = (body: unknown): void => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      };
      if (request.method === "GET") {
        reply({ data: [{ id: "tiny-embed" }] });
        return;
      }
      const { input, model } = JSON.parse(Buffer.concat(parts).toString()) as {
        input: string[];
        model: string;
      };
      setTimeout(
        () =>
          reply({ model, data: input.map((text, index) => ({ index, embedding: embed(text) })) }),
        pause,
      );
    });
  });
  return { url: `${address}/v1`, stop: () => void server.close() };
}

/** A model that always says the same, as an OpenAI-compatible endpoint streams it. */
export async function talker(said: string): Promise<{ url: string; stop: () => void }> {
  const { server, address } = await listen((request, response) => {
    request.resume();
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data: [{ id: "tiny-talker" }] }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [content, reason] of [
      [said, null],
      ["", "stop"],
    ])
      response.write(
        `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: reason }] })}\n\n`,
      );
    response.end();
  });
  return { url: `${address}/v1`, stop: () => void server.close() };
}
