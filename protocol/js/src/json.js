// Strict JSON (protocol/spec/messages.md): nothing is repaired.
import { utf8 } from "./bytes.js";
import { Refusal } from "./refusals.js";

const DEPTH = 8;
const SPACE = new Set([" ", "\t", "\n", "\r"]);
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;
const LONE = /\p{Surrogate}/u;

/** @returns {never} */
const bad = () => {
  throw new Refusal("malformed", "json");
};

/** @param {unknown} value */
export const writeJson = (value) => utf8(JSON.stringify(value));

/**
 * Read one value; refuses `malformed` and throws nothing else.
 * @param {Uint8Array} data
 * @returns {unknown}
 */
export function readJson(data) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return bad();
  }
  return new Reader(text).whole();
}

class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  whole() {
    const value = this.value(0);
    this.skip();
    return this.at === this.text.length ? value : bad();
  }

  skip() {
    while (SPACE.has(this.text[this.at])) this.at += 1;
  }

  /** Take a letter if it comes next. @param {string} letter */
  takes(letter) {
    this.skip();
    if (this.text[this.at] !== letter) return false;
    this.at += 1;
    return true;
  }

  /** @param {RegExp} what */
  match(what) {
    what.lastIndex = this.at;
    const found = what.exec(this.text);
    if (found === null) return bad();
    this.at = what.lastIndex;
    return found[0];
  }

  /** @param {number} depth @returns {unknown} */
  value(depth) {
    this.skip();
    const first = this.text[this.at];
    if (first === "{") return this.members(depth + 1);
    if (first === "[") return this.items(depth + 1);
    if (first === '"') return this.string();
    if (first === "t" || first === "f" || first === "n") return JSON.parse(this.match(WORD));
    const digits = this.match(NUMBER);
    const number = Number(digits);
    return /[.eE]/.test(digits) || digits === "-0" || !Number.isSafeInteger(number)
      ? bad()
      : number;
  }

  string() {
    const text = JSON.parse(this.match(STRING));
    return LONE.test(text) ? bad() : text;
  }

  /** @param {number} depth */
  items(depth) {
    if (depth > DEPTH) bad();
    this.at += 1;
    /** @type {unknown[]} */
    const items = [];
    if (this.takes("]")) return items;
    do items.push(this.value(depth));
    while (this.takes(","));
    return this.takes("]") ? items : bad();
  }

  /** @param {number} depth */
  members(depth) {
    if (depth > DEPTH) bad();
    this.at += 1;
    const members = Object.create(null);
    if (this.takes("}")) return members;
    do {
      this.skip();
      const name = this.text[this.at] === '"' ? this.string() : bad();
      if (Object.hasOwn(members, name) || !this.takes(":")) bad();
      members[name] = this.value(depth);
    } while (this.takes(","));
    return this.takes("}") ? members : bad();
  }
}
