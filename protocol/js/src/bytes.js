// How bytes are written: base64url, base58btc, and the varint before a frame. One value has one
// written form.
import { Refusal } from "./refusals.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const VALUES = new Map([...LETTERS].map((letter, value) => [letter, value]));

/** @param {string} text */
export const utf8 = (text) => new TextEncoder().encode(text);

/** @param {...Uint8Array} parts */
export function concat(...parts) {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/**
 * Whether two are the same, in a time that says nothing of where they differ.
 * @param {Uint8Array} one
 * @param {Uint8Array} other
 */
export function same(one, other) {
  let differ = one.length ^ other.length;
  for (let at = 0; at < one.length; at += 1) differ |= one[at] ^ (other[at] ?? 0);
  return differ === 0;
}

/** @param {Uint8Array} data */
export function toB64u(data) {
  let text = "";
  for (let at = 0; at < data.length; at += 3) {
    const bits = (data[at] << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
    for (let letter = 0; letter < Math.min(4, data.length - at + 1); letter += 1)
      text += LETTERS[(bits >> (18 - 6 * letter)) & 63];
  }
  return text;
}

/**
 * Read base64url without padding, in its one written form; undefined for anything else.
 * @param {string} text
 */
export function fromB64u(text) {
  if (text.length % 4 === 1) return undefined;
  const data = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const letter of text) {
    const value = VALUES.get(letter);
    if (value === undefined) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      data[at] = (bits >> held) & 255;
      at += 1;
    }
  }
  return (bits & ((1 << held) - 1)) === 0 ? data : undefined;
}

/** @param {Uint8Array} data */
export function toBase58(data) {
  let number = data.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let text = "";
  for (; number > 0n; number /= 58n) text = DIGITS[Number(number % 58n)] + text;
  const zeros = data.findIndex((byte) => byte !== 0);
  return "1".repeat(zeros === -1 ? data.length : zeros) + text;
}

/**
 * Read so many bytes of base58btc; undefined for anything else.
 * @param {string} text
 * @param {number} length
 */
export function fromBase58(text, length) {
  if (text.length > 2 * length) return undefined;
  let number = 0n;
  for (const letter of text) {
    const digit = DIGITS.indexOf(letter);
    if (digit === -1) return undefined;
    number = number * 58n + BigInt(digit);
  }
  const data = new Uint8Array(length);
  for (let at = length - 1; at >= 0; at -= 1, number >>= 8n) data[at] = Number(number & 255n);
  return number === 0n && toBase58(data) === text ? data : undefined;
}

/** Put its length before the bytes. @param {Uint8Array} data */
export function frame(data) {
  const prefix = [];
  let length = data.length;
  for (; length >> 7; length >>= 7) prefix.push((length & 127) | 128);
  return concat(Uint8Array.from([...prefix, length]), data);
}

/**
 * The bytes in a frame that came so far; undefined while it is not whole. Refuses one that is too
 * long, and bytes after it.
 * @param {Uint8Array} came @param {number} most
 */
export function unframed(came, most) {
  let length = 0;
  for (let at = 0; at < Math.min(3, came.length); at += 1) {
    length |= (came[at] & 127) << (7 * at);
    if (came[at] & 128) continue;
    if (at > 0 && came[at] === 0) throw new Refusal("malformed", "length");
    if (length > most) throw new Refusal("too_large", "length");
    if (came.length > at + 1 + length) throw new Refusal("malformed", "frame");
    return came.length === at + 1 + length ? came.subarray(at + 1) : undefined;
  }
  if (came.length >= 3) throw new Refusal("too_large", "length");
  return undefined;
}
