// One message, signed by the sender and sealed to the recipient (protocol/spec/envelope.md).
import sodium from "libsodium-wrappers";

import { concat, utf8 } from "./bytes.js";
import { readJson, writeJson } from "./json.js";
import { agreed, blake, DID, keyId, random, verify } from "./keys.js";
import { checkMessage } from "./messages.js";
import { Refusal } from "./refusals.js";
import { ID, misshapen } from "./shape.js";

export const REQUEST = 262_144;
export const ANSWER = 1_048_576;
const HEADER = 68;
const BLOCK = 256;
const TAG = 16;
const SIGNATURE = 64;
const SUITE = utf8("SMP\x01");
const NOTICE = utf8("SMP\x00");

/** @typedef {import("./messages.js").Message} Message */

/** @param {Uint8Array} data @param {Uint8Array} start */
const begins = (data, start) => start.every((byte, at) => data[at] === byte);

/** @param {Uint8Array} shared @param {Uint8Array} header @param {Uint8Array} box */
const keyOf = (shared, header, box) => blake("smp/1 seal", concat(shared, header, box), 32);

/**
 * Sign a message of one's own: the bytes that are kept, and sealed anew at each try.
 * @param {Message} message
 * @param {import("./keys.js").Keys} keys
 */
export function sign(message, keys) {
  const json = writeJson(message);
  return { json, signature: keys.sign("msg", json) };
}

/**
 * Seal a signed message to a box key.
 * @param {{json: Uint8Array, signature: Uint8Array}} signed
 * @param {Uint8Array} box
 * @param {number} most bytes
 * @param {(length: number) => Uint8Array} [draw]
 */
export function seal({ json, signature }, box, most, draw = random) {
  const own = draw(32);
  const nonce = draw(24);
  const shared = agreed(own, box);
  if (shared === undefined) throw new TypeError("Nothing can be sealed to this key.");
  const header = concat(SUITE, keyId(box), sodium.crypto_scalarmult_base(own), nonce);
  const inner = concat(signature, json);
  const padded = concat(inner, new Uint8Array((BLOCK - (inner.length % BLOCK)) % BLOCK));
  const key = keyOf(shared, header, box);
  const sealed = concat(
    header,
    sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(padded, header, null, nonce, key),
  );
  if (sealed.length > most) throw new TypeError("The message is too long for one envelope.");
  return sealed;
}

/**
 * Open an envelope without believing what is in it.
 * @param {Uint8Array} data
 * @param {import("./keys.js").Keys} keys
 * @param {number} now
 * @param {number} most
 */
function unseal(data, keys, now, most) {
  if (data.length > most) throw new Refusal("too_large", "envelope");
  if (data.length < HEADER + BLOCK + TAG || (data.length - HEADER - TAG) % BLOCK !== 0)
    misshapen("envelope");
  if (!begins(data, SUITE.subarray(0, 3))) misshapen("suite");
  if (!begins(data, SUITE)) throw new Refusal("unsupported_version", "suite");
  const header = data.subarray(0, HEADER);
  const box = keys.find(header.subarray(4, 12), now);
  if (box === undefined) throw new Refusal("unknown_key", "kid");
  const shared = agreed(box.private, header.subarray(12, 44));
  if (shared === undefined) throw new Refusal("decrypt_failed", "envelope");
  let inner;
  try {
    const key = keyOf(shared, header, box.public);
    inner = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
      null,
      data.subarray(HEADER),
      header,
      header.subarray(44),
      key,
    );
  } catch {
    throw new Refusal("decrypt_failed", "envelope");
  }
  let end = inner.length;
  while (end > SIGNATURE && inner[end - 1] === 0) end -= 1;
  if (end === SIGNATURE || inner.length - end >= BLOCK) misshapen("padding");
  return { json: inner.slice(SIGNATURE, end), signature: inner.subarray(0, SIGNATURE) };
}

/**
 * Open an envelope and check all that needs no memory; `sender` is the DID of the connected
 * contact, undefined for a stranger.
 * @param {Uint8Array} data
 * @param {import("./keys.js").Keys} keys
 * @param {string | undefined} sender
 * @param {number} now
 * @param {{answer?: boolean}} [what]
 */
export function open(data, keys, sender, now, { answer = false } = {}) {
  const { json, signature } = unseal(data, keys, now, answer ? ANSWER : REQUEST);
  const fields = /** @type {any} */ (readJson(json));
  if (fields === null || typeof fields !== "object" || Array.isArray(fields)) misshapen("json");
  DID(fields.iss, "iss");
  if (!verify(fields.iss, "msg", json, signature)) throw new Refusal("bad_signature", "signature");
  if (sender !== undefined && fields.iss !== sender) throw new Refusal("sender_mismatch", "iss");
  if (fields.aud !== keys.did) throw new Refusal("wrong_audience", "aud");
  try {
    return { message: checkMessage(fields, now, answer), json };
  } catch (error) {
    if (error instanceof Refusal) error.re = readable(fields.id);
    throw error;
  }
}

/** The id of a message whose shape is not known to be good. @param {unknown} id */
function readable(id) {
  try {
    ID(id, "id");
    return /** @type {string} */ (id);
  } catch {
    return undefined;
  }
}

/** The one thing that is said unsealed: one's own card. @param {string} card */
export const writeNotice = (card) => concat(NOTICE, utf8(card));

/** The card in a notice, not believed yet; undefined if this is none. @param {Uint8Array} data */
export const readNotice = (data) =>
  begins(data, NOTICE) ? new TextDecoder().decode(data.subarray(NOTICE.length)) : undefined;
