// Declared shapes that a value has or has not: it fits exactly, or is refused as malformed with the
// path of the declared field.
import { fromB64u } from "./bytes.js";
import { Refusal } from "./refusals.js";

/** @typedef {(value: any, at: string) => void} Shape */

/**
 * Unicode 17.0's Cc, Cf, Cs, Co, Zl and Zp without the joiners, as protocol/spec/messages.md lists
 * them.
 */
const HIDDEN = ranges(
  "0-1f 7f-9f ad 600-605 61c 6dd 70f 890-891 8e2 180e 200b 200e-200f 2028-202e 2060-2064 2066-206f",
  "d800-f8ff feff fff9-fffb 110bd 110cd 13430-1343f 1bca0-1bca3 1d173-1d17a e0001 e0020-e007f",
  "f0000-ffffd 100000-10fffd",
);
const CONTROLS = ranges("0-8 b-1f 7f-9f d800-dfff");
const SPACES = /^[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]*$/u;

/** What matches one of these code points. @param {...string} lines in hexadecimal */
function ranges(...lines) {
  const each = lines.join(" ").replace(/[0-9a-f]+/g, "\\u{$&}");
  return new RegExp(`[${each.replaceAll(" ", "")}]`, "u");
}

/** @param {string} at @returns {never} */
export function misshapen(at) {
  throw new Refusal("malformed", at);
}

/** @param {unknown} value @param {number} least @param {number} most */
const fits = (value, least, most) => {
  if (typeof value !== "string" || value.length > 2 * most) return false;
  const length = [...value].length;
  return least <= length && length <= most;
};

/** @param {number} least @param {number} most @returns {Shape} */
export const text = (least, most) => (value, at) => {
  if (!fits(value, least, most) || CONTROLS.test(value)) misshapen(at);
};

/** @param {number} most @returns {Shape} */
export const line = (most) => (value, at) => {
  if (!fits(value, 1, most) || SPACES.test(value) || HIDDEN.test(value)) misshapen(at);
};

/** @param {RegExp} pattern @returns {Shape} */
export const matching = (pattern) => (value, at) => {
  if (typeof value !== "string" || !pattern.test(value)) misshapen(at);
};

/** Base64url of so many bytes. @param {number} least @param {number} [most] @returns {Shape} */
export const bytes =
  (least, most = least) =>
  (value, at) => {
    const data =
      typeof value === "string" && value.length <= 2 * most ? fromB64u(value) : undefined;
    if (data === undefined || data.length < least || data.length > most) misshapen(at);
  };

/** @param {number} low @param {number} high @returns {Shape} */
export const number = (low, high) => (value, at) => {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < low || value > high)
    misshapen(at);
};

/** @param {readonly string[]} values @returns {Shape} */
export const choice = (values) => (value, at) => {
  if (!values.includes(value)) misshapen(at);
};

/** @type {Shape} */
export const flag = (value, at) => {
  if (typeof value !== "boolean") misshapen(at);
};

/** @type {Shape} */
export const yes = (value, at) => {
  if (value !== true) misshapen(at);
};

/** @param {Shape} of @returns {Shape} */
export const orNull = (of) => (value, at) => {
  if (value !== null) of(value, at);
};

/**
 * @param {Shape} of
 * @param {number} least
 * @param {number} most
 * @param {{distinct?: boolean}} [how]
 * @returns {Shape}
 */
export const list =
  (of, least, most, { distinct = false } = {}) =>
  (value, at) => {
    if (!Array.isArray(value) || value.length < least || value.length > most) misshapen(at);
    for (const each of value) of(each, `${at}[]`);
    if (distinct && new Set(value).size !== value.length) misshapen(at);
  };

/**
 * @param {Record<string, Shape>} [required]
 * @param {Record<string, Shape>} [optional]
 * @returns {Shape}
 */
export const record =
  (required = {}, optional = {}) =>
  (value, at) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) misshapen(at);
    if (!Object.keys(required).every((name) => Object.hasOwn(value, name))) misshapen(at);
    for (const [name, each] of Object.entries(value)) {
      const shape = Object.hasOwn(required, name)
        ? required[name]
        : Object.hasOwn(optional, name)
          ? optional[name]
          : misshapen(at);
      shape(each, at ? `${at}.${name}` : name);
    }
  };

export const WHOLE = Number.MAX_SAFE_INTEGER;
export const ID = bytes(16);
export const HASH = bytes(32);
export const SECONDS = number(0, WHOLE);
export const VERSION = number(1, 1);
