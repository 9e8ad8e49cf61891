// A js-libp2p host as the specification wants it: TCP, Noise, yamux, identify, and the gate right
// after Noise.
import "./node20.js";

import { generateKeyPairFromSeed } from "@libp2p/crypto/keys";
import { identify } from "@libp2p/identify";
import { noise } from "@libp2p/noise";
import { tcp } from "@libp2p/tcp";
import { byteStream } from "@libp2p/utils";
import { yamux } from "@libp2p/yamux";
import { multiaddr } from "@multiformats/multiaddr";
import { createLibp2p } from "libp2p";

import { concat, frame, unframed } from "./bytes.js";
import { ANSWER, REQUEST } from "./envelope.js";
import { NotReached, Refusal } from "./refusals.js";

export const SMP = "/smp/1";
const SECOND = 1_000;
const DIAL = 10 * SECOND;
const ANSWERED = 120 * SECOND;
const REQUESTED = 30 * SECOND;
const STRANGER = 5 * SECOND;
const LINGER = SECOND;
/**
 * How long a connection is used again: less than the half minute after which the other side may end
 * it.
 */
const KEPT = 20 * SECOND;
const STREAMS = 16;

/** @typedef {import("@libp2p/interface").Stream} Stream */
/** @typedef {import("@libp2p/interface").Connection} Connection */
/** @typedef {"contact" | "stranger" | "closed"} Entrance */

/**
 * @typedef {object} Door
 * @property {(peer: string, strangers: number) => Entrance} gate decides about a peer id that Noise
 * proved
 * @property {(peer: string, data: Uint8Array) => Promise<Uint8Array | undefined>} take answers a
 * request
 * @property {(peer: string, addrs: string[]) => void} found says where a peer listens
 */

export class Host {
  /** @type {Set<string>} peers whose hello was taken on the connection that is open */
  #greeted = new Set();
  /** @type {Map<string, string>} connections that this host dialled, and to whom */
  #dialled = new Map();

  /** @param {Awaited<ReturnType<typeof createLibp2p>>} libp2p @param {Door} door */
  constructor(libp2p, door) {
    this.libp2p = libp2p;
    this.door = door;
  }

  /**
   * @param {Uint8Array} seed of the transport key
   * @param {string[]} listen addresses
   * @param {Door} door
   */
  static async start(seed, listen, door) {
    /** @type {Host} */
    let host;
    const strangers = () =>
      host.libp2p
        .getConnections()
        .filter((each) => each.direction === "inbound" && host.entrance(each) !== "contact");
    const libp2p = await createLibp2p({
      privateKey: await generateKeyPairFromSeed("Ed25519", seed),
      addresses: { listen },
      transports: [tcp()],
      connectionEncrypters: [noise()],
      streamMuxers: [yamux()],
      connectionGater: {
        denyDialMultiaddr: () => false,
        denyInboundEncryptedConnection: (peer) =>
          door.gate(peer.toString(), strangers().length) === "closed",
      },
      connectionManager: { inboundUpgradeTimeout: 2 * SECOND },
      services: { identify: identify() },
    });
    host = new Host(libp2p, door);
    libp2p.addEventListener("peer:identify", ({ detail }) => {
      door.found(detail.peerId.toString(), detail.listenAddrs.map(String));
    });
    libp2p.addEventListener("connection:open", ({ detail }) => {
      if (detail.direction === "inbound" && host.entrance(detail) !== "contact")
        setTimeout(() => close(detail), STRANGER).unref?.();
    });
    await libp2p.handle(SMP, (stream, connection) => host.#asked(stream, connection), {
      maxInboundStreams: STREAMS,
    });
    return host;
  }

  /** Where it listens. */
  get addresses() {
    return this.libp2p.getMultiaddrs().map((each) => String(each).split("/p2p/")[0]);
  }

  stop() {
    return this.libp2p.stop();
  }

  /**
   * What the gate says of an open connection; it says of a stranger what it said before.
   * @param {Connection} connection
   */
  entrance(connection) {
    return this.door.gate(connection.remotePeer.toString(), 0);
  }

  /** @param {Stream} stream @param {Connection} connection */
  async #asked(stream, connection) {
    const peer = connection.remotePeer.toString();
    const stranger = this.entrance(connection) !== "contact";
    try {
      if (stranger && this.#greeted.has(connection.id)) throw new Refusal("no_grant", "hello");
      if (stranger) this.#greeted.add(connection.id);
      const request = await whole(stream, REQUEST, stranger ? STRANGER : REQUESTED);
      const said = request === undefined ? undefined : await this.door.take(peer, request);
      if (said !== undefined) stream.send(frame(said));
      await stream.close({ signal: AbortSignal.timeout(REQUESTED) });
    } catch (error) {
      stream.abort(/** @type {Error} */ (error));
      if (error instanceof Refusal) await close(connection);
    } finally {
      // a hello is all of its connection: the gate decides anew about the next
      if (stranger)
        setTimeout(
          () => close(connection).then(() => this.#greeted.delete(connection.id)),
          LINGER,
        ).unref?.();
    }
  }

  /**
   * A connection that this host dialled. One that came in may end at any moment: who dialled it had
   * something to say, and is done.
   * @param {string} peer @param {string[]} addrs
   */
  async #reached(peer, addrs) {
    const open = this.libp2p
      .getConnections()
      .find((each) => each.status === "open" && this.#dialled.get(each.id) === peer);
    if (open !== undefined) return open;
    const places = addrs
      .filter((each) => !each.includes("/p2p/") || each.endsWith(`/p2p/${peer}`))
      .map((each) => each.split("/p2p/")[0]);
    const connection = await this.libp2p.dial(
      places.map((each) => multiaddr(`${each}/p2p/${peer}`)),
      { force: true, signal: AbortSignal.timeout(DIAL) },
    );
    this.#dialled.set(connection.id, peer);
    setTimeout(() => {
      this.#dialled.delete(connection.id);
      setTimeout(() => close(connection), ANSWERED).unref?.();
    }, KEPT).unref?.();
    return connection;
  }

  /**
   * Ask a node one thing; gives the bytes of its answer. Throws `NotReached`.
   * @param {string} peer
   * @param {string[]} addrs
   * @param {Uint8Array} data
   * @param {{hello?: boolean}} [how]
   */
  async ask(peer, addrs, data, { hello = false } = {}) {
    /** @type {Connection | undefined} */
    let connection;
    /** @type {Stream | undefined} */
    let stream;
    try {
      connection = await this.#reached(peer, addrs);
      stream = await connection.newStream(SMP, { signal: AbortSignal.timeout(DIAL) });
      stream.send(frame(data));
      const answer = await whole(stream, ANSWER, ANSWERED);
      await stream.close({ signal: AbortSignal.timeout(DIAL) });
      if (answer === undefined) throw new NotReached("They closed the stream without an answer.");
      return answer;
    } catch (error) {
      stream?.abort(/** @type {Error} */ (error));
      throw error instanceof NotReached || error instanceof Refusal
        ? error
        : new NotReached(`${error}`);
    } finally {
      if (hello && connection !== undefined) await left(connection);
    }
  }
}

/**
 * Read one frame; undefined where they end before it is whole.
 * @param {Stream} stream
 * @param {number} most
 * @param {number} patience ms
 */
async function whole(stream, most, patience) {
  const bytes = byteStream(stream, { maxBufferSize: most + 3 + 65_536 });
  const signal = AbortSignal.timeout(patience);
  let came = new Uint8Array();
  for (;;) {
    const more = await bytes.read({ signal });
    if (more === null) return undefined;
    came = concat(came, more.subarray());
    const data = unframed(came, most);
    if (data !== undefined) return data;
  }
}

/** @param {Connection} connection */
const close = (connection) =>
  connection
    .close({ signal: AbortSignal.timeout(SECOND) })
    .catch(() => connection.abort(new Error("It does not end.")));

/**
 * Let who was greeted ask where this host listens; then, or after a second, the connection is over.
 * @param {Connection} connection
 */
async function left(connection) {
  if (connection.status === "open") {
    await new Promise((resolve) => {
      const waited = setTimeout(resolve, LINGER);
      connection.addEventListener("close", () => resolve(clearTimeout(waited)), { once: true });
    });
  }
  await close(connection);
}
