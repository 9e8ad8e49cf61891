// Keys, signed statements and cards (protocol/spec/keys.md).
import { blake2b } from "@noble/hashes/blake2.js";
import sodium from "libsodium-wrappers";

import { concat, fromB64u, fromBase58, same, toB64u, toBase58, utf8 } from "./bytes.js";
import { readJson, writeJson } from "./json.js";
import { Refusal } from "./refusals.js";
import {
  bytes,
  line,
  list,
  matching,
  misshapen,
  number,
  record,
  SECONDS,
  VERSION,
  WHOLE,
} from "./shape.js";

await sodium.ready;

export const DAY = 86_400;
export const SKEW = 120;
export const CARD_LIFE = 30 * DAY;
const BOX_TURN = 7 * DAY;
const BOX_KEPT = 30 * DAY;
const DID_START = "did:key:z";
const ED25519 = Uint8Array.of(0xed, 0x01);
const PEER_START = Uint8Array.of(0x00, 0x24, 0x08, 0x01, 0x12, 0x20);
const SIGNATURE = 64;

/** @param {number} length @returns {Uint8Array} */
export const random = (length) => sodium.randombytes_buf(length);

/**
 * BLAKE2b of so many bytes, under a label.
 * @param {string} label
 * @param {Uint8Array} data
 * @param {number} length
 */
export function blake(label, data, length) {
  const personalization = new Uint8Array(16);
  personalization.set(utf8(label));
  return blake2b(data, { dkLen: length, personalization });
}

/** @param {Uint8Array} publicKey */
export const didOf = (publicKey) => DID_START + toBase58(concat(ED25519, publicKey));

/** @param {Uint8Array} publicKey */
export const peerOf = (publicKey) => toBase58(concat(PEER_START, publicKey));

/** The public key in a DID; undefined if it is none. @param {unknown} did */
function publicOf(did) {
  if (typeof did !== "string" || !did.startsWith(DID_START)) return undefined;
  const data = fromBase58(did.slice(DID_START.length), 34);
  return data !== undefined && same(data.subarray(0, 2), ED25519) ? data.subarray(2) : undefined;
}

/** @type {import("./shape.js").Shape} */
export const DID = (value, at) => {
  if (publicOf(value) === undefined) misshapen(at);
};

/** @type {import("./shape.js").Shape} */
export const PEER = (value, at) => {
  const data = typeof value === "string" ? fromBase58(value, 38) : undefined;
  if (data === undefined || !same(data.subarray(0, 6), PEER_START)) misshapen(at);
};

/** A box key that is not of small order. @type {import("./shape.js").Shape} */
export const BOX = (value, at) => {
  bytes(32)(value, at);
  const key = /** @type {Uint8Array} */ (fromB64u(value));
  if (agreed(new Uint8Array(32).fill(0x40), key) === undefined) misshapen(at);
};

/**
 * What two keys of X25519 agree on; undefined with one of small order.
 * @param {Uint8Array} mine
 * @param {Uint8Array} theirs
 */
export function agreed(mine, theirs) {
  try {
    const shared = sodium.crypto_scalarmult(mine, theirs);
    return shared.some((byte) => byte !== 0) ? shared : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Uint8Array} box */
export const keyId = (box) => blake("smp/1 kid", box, 8);

/** @param {string} kind @param {Uint8Array} data */
const covered = (kind, data) => concat(utf8(`smp/1 ${kind}\0`), data);

/**
 * @param {string} did
 * @param {string} kind
 * @param {Uint8Array} data
 * @param {Uint8Array} signature
 */
export function verify(did, kind, data, signature) {
  const key = publicOf(did);
  return (
    key !== undefined && sodium.crypto_sign_verify_detached(signature, covered(kind, data), key)
  );
}

/**
 * @typedef {{private: Uint8Array, public: Uint8Array, made: number, retired: number | null}} Box
 */

/** All private halves of one person. */
export class Keys {
  /**
   * @param {Uint8Array} identity
   * @param {Uint8Array} transport seeds of 32 bytes
   * @param {Box[]} boxes newest first
   */
  constructor(identity, transport, boxes) {
    this.seeds = { identity, transport };
    const pair = sodium.crypto_sign_seed_keypair(identity);
    this.signing = pair.privateKey;
    this.did = didOf(pair.publicKey);
    this.peer = peerOf(sodium.crypto_sign_seed_keypair(transport).publicKey);
    this.boxes = boxes;
  }

  /** @param {number} now seconds */
  static make(now) {
    return new Keys(random(32), random(32), [boxOf(random(32), now)]);
  }

  /** @param {any} saved what `toJSON` gave */
  static read({ identity, transport, boxes }) {
    const raw = (/** @type {string} */ key) => fromB64u(key) ?? misshapen("keys");
    return new Keys(
      raw(identity),
      raw(transport),
      boxes.map((/** @type {any} */ each) => ({
        ...boxOf(raw(each.private), each.made),
        retired: each.retired,
      })),
    );
  }

  /** Private keys in plain text: whoever keeps this locks it away. */
  toJSON() {
    const boxes = this.boxes.map((each) => ({
      private: toB64u(each.private),
      made: each.made,
      retired: each.retired,
    }));
    return {
      v: 1,
      identity: toB64u(this.seeds.identity),
      transport: toB64u(this.seeds.transport),
      boxes,
    };
  }

  get box() {
    return this.boxes[0];
  }

  /**
   * The box key of this id, if it is held and was not retired too long ago.
   * @param {Uint8Array} kid
   * @param {number} now
   */
  find(kid, now) {
    return this.boxes.find(
      (each) =>
        (each.retired === null || now - each.retired < BOX_KEPT) && same(keyId(each.public), kid),
    );
  }

  /**
   * Take a new box key where the present one is a week old. Says whether it did.
   * @param {number} now
   */
  turn(now) {
    if (this.box.made + BOX_TURN > now) return false;
    this.box.retired = now;
    this.boxes = [
      boxOf(random(32), now),
      ...this.boxes.filter((each) => now - (each.retired ?? now) < BOX_KEPT),
    ];
    return true;
  }

  /** @param {string} kind @param {Uint8Array} data @returns {Uint8Array} */
  sign(kind, data) {
    return sodium.crypto_sign_detached(covered(kind, data), this.signing);
  }

  /** Write a signed statement as it is carried. @param {string} kind @param {unknown} value */
  statement(kind, value) {
    const data = writeJson(value);
    return toB64u(concat(this.sign(kind, data), data));
  }
}

/** @param {Uint8Array} key @param {number} made @returns {Box} */
const boxOf = (key, made) => ({
  private: key,
  public: sodium.crypto_scalarmult_base(key),
  made,
  retired: null,
});

/**
 * Take a signed statement apart, without believing it.
 * @param {string} carried @param {number} most @param {number} [signatures]
 */
export function parted(carried, most, signatures = 1) {
  const data = carried.length <= most ? fromB64u(carried) : undefined;
  if (data === undefined || data.length <= signatures * SIGNATURE) return misshapen("statement");
  const cut = Array.from({ length: signatures }, (_, at) =>
    data.subarray(at * SIGNATURE, (at + 1) * SIGNATURE),
  );
  return { signatures: cut, data: data.subarray(signatures * SIGNATURE) };
}

/**
 * Read a statement that names who signed it.
 * @param {string} carried
 * @param {number} most
 * @param {string} kind
 * @param {string} signer its field
 */
export function readStatement(carried, most, kind, signer) {
  const { signatures, data } = parted(carried, most);
  const value = /** @type {any} */ (readJson(data));
  DID(value?.[signer], `${kind}.${signer}`);
  if (!verify(value[signer], kind, data, signatures[0])) throw new Refusal("bad_signature", kind);
  return value;
}

const CARD = record({
  v: VERSION,
  did: DID,
  peer: PEER,
  kid: bytes(8),
  box: BOX,
  name: line(80),
  verbs: list(matching(/^[a-z]{1,16}$/), 1, 16, { distinct: true }),
  seq: number(0, WHOLE),
  exp: SECONDS,
});

/**
 * @typedef {{did: string, peer: string, box: Uint8Array, name: string, verbs: string[], seq:
 * number, exp: number, text: string}} Card
 */

/**
 * Sign a card of one's own.
 * @param {Keys} keys
 * @param {{name: string, verbs: string[], seq: number, exp: number}} more
 */
export function writeCard(keys, { name, verbs, seq, exp }) {
  const box = keys.box.public;
  const fields = {
    v: 1,
    did: keys.did,
    peer: keys.peer,
    kid: toB64u(keyId(box)),
    box: toB64u(box),
    name,
    verbs,
    seq,
    exp,
  };
  return readCard(keys.statement("card", fields), exp - CARD_LIFE);
}

/**
 * Read and verify a card. Refuses `malformed`, `bad_signature`, `expired`.
 * @param {string} carried
 * @param {number} now
 * @returns {Card}
 */
export function readCard(carried, now) {
  const value = readStatement(carried, 4_096, "card", "did");
  CARD(value, "card");
  const box = /** @type {Uint8Array} */ (fromB64u(value.box));
  if (value.kid !== toB64u(keyId(box))) misshapen("card.kid");
  if (value.exp > now + CARD_LIFE + SKEW) misshapen("card.exp");
  if (value.exp <= now - SKEW) throw new Refusal("expired", "card.exp");
  const { did, peer, name, verbs, seq, exp } = value;
  return { did, peer, box, name, verbs, seq, exp, text: carried };
}

/** Read a card that was verified when it was kept. @param {string} carried */
export function readKept(carried) {
  const { exp } = /** @type {any} */ (readJson(parted(carried, 4_096).data));
  return readCard(carried, exp - CARD_LIFE);
}

/**
 * What a card is to the one that was known: `newer` or `same`.
 * @param {Card} known
 * @param {Card} card
 */
export function follows(known, card) {
  if (card.did !== known.did) throw new Refusal("sender_mismatch", "card.did");
  if (card.text === known.text) return "same";
  if (card.seq <= known.seq) throw new Refusal("replay", "card.seq");
  return "newer";
}

const ROTATION = record({ v: VERSION, old: DID, new: DID, seq: number(0, WHOLE), ts: SECONDS });

/** Read and verify the rotation of an identity. @param {string} carried @param {number} now */
export function readRotation(carried, now) {
  const { signatures, data } = parted(carried, 1_024, 2);
  const value = /** @type {any} */ (readJson(data));
  ROTATION(value, "rotation");
  if (value.old === value.new) misshapen("rotation.new");
  const fit = [
    verify(value.old, "rotation", data, signatures[0]),
    verify(value.new, "rotation", data, signatures[1]),
  ];
  if (!fit.every(Boolean)) throw new Refusal("bad_signature", "rotation");
  if (value.ts > now + SKEW) throw new Refusal("from_future", "rotation.ts");
  if (value.ts <= now - 30 * DAY) throw new Refusal("expired", "rotation.ts");
  return { old: value.old, new: value.new, seq: value.seq, ts: value.ts };
}
