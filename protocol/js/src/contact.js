// Invite, hello and welcome, six words (protocol/spec/contact.md).
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

import { concat, fromB64u, same, toB64u, utf8 } from "./bytes.js";
import { readJson, writeJson } from "./json.js";
import { blake, BOX, DAY, DID, PEER, random, readCard } from "./keys.js";
import { Refusal } from "./refusals.js";
import { bytes, line, list, misshapen, orNull, record, SECONDS, VERSION } from "./shape.js";

const SCHEME = "smp://i/";
const SYLLABLES = [
  "ka",
  "sa",
  "na",
  "ra",
  "ki",
  "mi",
  "ri",
  "su",
  "mu",
  "ru",
  "te",
  "ne",
  "ko",
  "so",
  "mo",
  "yo",
];
const KANA = [..."かさならきみりすむるてねこそもよ"];
const INVITE = record({
  v: VERSION,
  did: DID,
  peer: PEER,
  box: BOX,
  addrs: list(line(128), 0, 8),
  relay: orNull(line(256)),
  secret: bytes(16),
  exp: SECONDS,
});

/** @typedef {import("./keys.js").Card} Card */
/**
 * @typedef {{id: string, did: string, peer: string, box: Uint8Array, addrs: string[], secret:
 * Uint8Array, exp: number, json: Uint8Array, link: string}} Invite
 */
/** @typedef {{card: Card, words: string[], kana: string[]}} Met */

/**
 * Write an invite of one's own, good for 24 hours.
 * @param {Card} card
 * @param {string[]} addrs
 * @param {number} now
 * @returns {Invite}
 */
export function writeInvite(card, addrs, now) {
  const who = { v: 1, did: card.did, peer: card.peer, box: toB64u(card.box), addrs, relay: null };
  return readInvite(
    SCHEME + toB64u(writeJson({ ...who, secret: toB64u(random(16)), exp: now + DAY })),
  );
}

/** Read a link. Refuses `malformed`. @param {string} link @returns {Invite} */
export function readInvite(link) {
  const json =
    link.length <= 2_048 && link.startsWith(SCHEME)
      ? fromB64u(link.slice(SCHEME.length))
      : undefined;
  if (json === undefined) return misshapen("invite");
  const value = /** @type {any} */ (readJson(json));
  INVITE(value, "invite");
  const raw = (/** @type {string} */ field) => /** @type {Uint8Array} */ (fromB64u(value[field]));
  const secret = raw("secret");
  const id = toB64u(blake("smp/1 invite", secret, 16));
  return {
    id,
    did: value.did,
    peer: value.peer,
    box: raw("box"),
    addrs: value.addrs,
    secret,
    exp: value.exp,
    json,
    link,
  };
}

/** T of the specification. @param {string} label @param {(string | Uint8Array)[]} parts */
export function transcript(label, parts) {
  const written = parts.map((part) => (typeof part === "string" ? utf8(part) : part));
  const sized = written.flatMap((part) => [
    Uint8Array.of(part.length >> 24, part.length >> 16, part.length >> 8, part.length),
    part,
  ]);
  return concat(utf8(`${label}\0`), ...sized);
}

/** @param {Invite} invite @param {string} label @param {(string | Uint8Array)[]} parts */
const proof = (invite, label, parts) => hmac(sha256, invite.secret, transcript(label, parts));

/**
 * The body of a hello, by who was invited.
 * @param {Invite} invite
 * @param {Card} card
 * @param {string} [nonce]
 */
export function writeHello(invite, card, nonce = toB64u(random(16))) {
  const proven = proof(invite, "smp/1 hello", [
    invite.json,
    invite.did,
    card.did,
    card.text,
    nonce,
  ]);
  return { invite: invite.id, nonce, card: card.text, proof: toB64u(proven) };
}

/**
 * Check a hello, by who invited; gives the card of who was invited. `peer` is what Noise proved.
 * @param {Invite} invite
 * @param {any} body
 * @param {string} issuer
 * @param {string} peer
 * @param {number} now
 */
export function checkHello(invite, body, issuer, peer, now) {
  if (invite.exp <= now) throw new Refusal("expired", "invite");
  const proven = proof(invite, "smp/1 hello", [
    invite.json,
    invite.did,
    issuer,
    body.card,
    body.nonce,
  ]);
  if (!same(proven, /** @type {Uint8Array} */ (fromB64u(body.proof))))
    throw new Refusal("bad_signature", "proof");
  const card = readCard(body.card, now);
  if (card.did !== issuer || card.peer !== peer) throw new Refusal("sender_mismatch", "card");
  return card;
}

/**
 * What the answer's proof and the words cover.
 * @param {any} hello
 * @param {Card} invited
 * @param {Card} inviter
 * @param {string} nonce
 */
const both = (hello, invited, inviter, nonce) => [
  /** @type {Uint8Array} */ (fromB64u(hello.proof)),
  inviter.did,
  invited.did,
  invited.text,
  inviter.text,
  hello.nonce,
  nonce,
];

/**
 * The answer to a hello that was checked, and who was met.
 * @param {Invite} invite
 * @param {any} hello
 * @param {Card} theirs
 * @param {Card} mine
 * @param {string} [nonce]
 */
export function writeWelcome(invite, hello, theirs, mine, nonce = toB64u(random(16))) {
  const parts = both(hello, theirs, mine, nonce);
  return {
    body: { nonce, card: mine.text, proof: toB64u(proof(invite, "smp/1 welcome", parts)) },
    met: met(theirs, parts),
  };
}

/**
 * Check the answer to a hello, by who was invited.
 * @param {Invite} invite
 * @param {any} hello
 * @param {any} body
 * @param {Card} mine
 * @param {string} peer
 * @param {number} now
 */
export function checkWelcome(invite, hello, body, mine, peer, now) {
  const card = readCard(body.card, now);
  if (card.did !== invite.did || card.peer !== invite.peer || card.peer !== peer)
    throw new Refusal("sender_mismatch", "card");
  const parts = both(hello, mine, card, body.nonce);
  if (
    !same(proof(invite, "smp/1 welcome", parts), /** @type {Uint8Array} */ (fromB64u(body.proof)))
  ) {
    throw new Refusal("bad_signature", "proof");
  }
  return met(card, parts);
}

/** @param {Card} card @param {(string | Uint8Array)[]} parts @returns {Met} */
function met(card, parts) {
  const bits = blake("smp/1 words", transcript("smp/1 words", parts), 12);
  return { card, words: spell(bits, SYLLABLES), kana: spell(bits, KANA) };
}

/**
 * Write each 16 bits as a word of four syllables.
 * @param {Uint8Array} bits
 * @param {string[]} syllables
 */
function spell(bits, syllables) {
  const said = [...bits].map((byte) => syllables[byte >> 4] + syllables[byte & 15]);
  return Array.from({ length: bits.length / 2 }, (_, at) => said[2 * at] + said[2 * at + 1]);
}
