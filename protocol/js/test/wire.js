// A stock js-libp2p host that carries frames for somebody else and knows nothing of what is in
// them.
//
// Orders come as lines of JSON on standard input, what happens goes out as lines of JSON. Where
// standard input ends, it ends.
// tests/integration/test_peer_stock.py holds the node against it.
import "../src/node20.js";

import { createInterface } from "node:readline";

import { generateKeyPairFromSeed } from "@libp2p/crypto/keys";
import { identify } from "@libp2p/identify";
import { noise } from "@libp2p/noise";
import { tcp } from "@libp2p/tcp";
import { lpStream } from "@libp2p/utils";
import { yamux } from "@libp2p/yamux";
import { multiaddr } from "@multiformats/multiaddr";
import { createLibp2p } from "libp2p";

const SMP = "/smp/1";
const LONGEST = { maxDataLength: 1_048_576 };
const SECONDS = 1_000;

const say = (said) => process.stdout.write(`${JSON.stringify(said)}\n`);
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));
const text = (list) => Buffer.from(list.subarray()).toString("base64");

const seed = bytes(process.argv[2]);
const services = process.argv[3] === "silent" ? {} : { identify: identify() };
const host = await createLibp2p({
  privateKey: await generateKeyPairFromSeed("Ed25519", seed),
  addresses: { listen: ["/ip4/127.0.0.1/tcp/0"] },
  transports: [tcp()],
  connectionEncrypters: [noise()],
  streamMuxers: [yamux()],
  services,
});

/** Frames that came in and wait for their answer. */
const waiting = new Map();
let count = 0;

await host.handle(SMP, async (stream) => {
  try {
    const framed = lpStream(stream, LONGEST);
    const asked = String((count += 1));
    const answer = new Promise((resolve) => waiting.set(asked, resolve));
    say({ asked, frame: text(await framed.read({ signal: AbortSignal.timeout(10 * SECONDS) })) });
    await framed.write(await answer);
    await stream.close();
  } catch (error) {
    say({ broke: String(error) });
    stream.abort(error);
  }
});

/**
 * Send a frame, end this half at once ("first") or once the answer came ("after"), and give the
 * answer.
 */
async function ask({ address, frame, end, several }) {
  const connection = await host.dial(multiaddr(address), {
    signal: AbortSignal.timeout(10 * SECONDS),
  });
  const one = async () => {
    const stream = await connection.newStream(SMP);
    const framed = lpStream(stream, LONGEST);
    await framed.write(bytes(frame));
    if (end === "first") await stream.close();
    const came = await framed.read({ signal: AbortSignal.timeout(10 * SECONDS) });
    if (end === "after") await stream.close();
    return text(came);
  };
  const came = [];
  for (let left = several ?? 1; left > 0; left -= 1) came.push(await one());
  return { came, open: connection.status === "open" };
}

/** Give what the other side says to identify. */
async function identified({ address }) {
  const connection = await host.dial(multiaddr(address));
  const { protocols, listenAddrs } = await host.services.identify.identify(connection);
  return { protocols, addresses: listenAddrs.map(String) };
}

const orders = {
  ask,
  identified,
  leave: async () => Promise.all(host.getConnections().map((each) => each.close())),
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const order = JSON.parse(line);
    if (order.answer !== undefined) {
      waiting.get(order.answer)(bytes(order.frame));
      waiting.delete(order.answer);
      return;
    }
    orders[order.do](order).then(
      (done) => say({ done: order.id, ...done }),
      (error) => say({ done: order.id, failed: String(error) }),
    );
  })
  .on("close", () => process.exit(0));

say({ peer: host.peerId.toString(), addresses: host.getMultiaddrs().map(String) });
