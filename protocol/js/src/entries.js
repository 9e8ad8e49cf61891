// What is said at a table: entries, each signed by its author and naming the hash of the one before,
// and the words that they commit to (protocol/spec/discussion.md).
import { fromB64u, toB64u, utf8 } from "./bytes.js";
import { readJson } from "./json.js";
import { blake, DID, random, readStatement } from "./keys.js";
import { CITE, ENTRY_TEXT, MEMBER_ID, MOST_ENTRIES, WORDS_TEXT } from "./messages.js";
import { AGAIN, Refusal } from "./refusals.js";
import {
  choice,
  flag,
  HASH,
  ID,
  line,
  list,
  misshapen,
  number,
  orNull,
  record,
  SECONDS,
  text,
  VERSION,
} from "./shape.js";

const STOPS = ["rounds", "agreement", "no_new_evidence", "time", "person", "alone"];
const STRATEGIES = ["round_robin", "moderated", "debate", "free"];
const SAYS = ["said", "agreed", "disagreed", "abstained"];

const PLACE = number(0, MOST_ENTRIES);
const ROUND = number(1, 100);
const QUOTES = list(PLACE, 0, 64, { distinct: true });
const MEMBER = record({
  id: MEMBER_ID,
  did: DID,
  kind: choice(["twin", "role", "person"]),
  name: line(80),
});

/** @type {Record<string, Record<string, import("./shape.js").Shape>>} */
const BODIES = {
  opening: {
    members: list(MEMBER, 1, 16),
    strategy: choice(STRATEGIES),
    rounds: ROUND,
    stop: list(choice(STOPS), 0, STOPS.length, { distinct: true }),
    turns: number(1, 200),
    total: number(1, 1_000),
    bytes: number(256, WORDS_TEXT),
    tokens: number(1, 8_192),
    exp: SECONDS,
    words: HASH,
  },
  invited: { member: MEMBER },
  joined: { by: MEMBER_ID, grant: orNull(ID) },
  left: { by: MEMBER_ID },
  called: { by: MEMBER_ID },
  turn: {
    by: MEMBER_ID,
    round: ROUND,
    abstained: flag,
    on: orNull(PLACE),
    stance: orNull(choice(["agrees", "disagrees"])),
    quotes: QUOTES,
    words: HASH,
  },
  failed: { by: MEMBER_ID, code: choice(Object.keys(AGAIN)) },
  paused: {},
  resumed: {},
  struck: { entry: PLACE },
  summary: {
    points: list(record({ by: MEMBER_ID, turn: PLACE, says: choice(SAYS) }), 0, 64),
    quotes: QUOTES,
    words: HASH,
  },
  closed: { why: choice(STOPS) },
};
const STEP = choice(Object.keys(BODIES));
const ENTRIES = Object.fromEntries(
  Object.entries(BODIES).map(([step, body]) => [
    step,
    record({
      v: VERSION,
      table: ID,
      n: PLACE,
      prev: orNull(HASH),
      iss: DID,
      ts: SECONDS,
      step: STEP,
      ...body,
    }),
  ]),
);

const QUOTED = record({ turn: PLACE }, { quote: text(1, 2_000) });
const WORDS = record({
  salt: ID,
  text: text(0, 16_000),
  cites: list(
    (value, at) =>
      (value !== null && typeof value === "object" && Object.hasOwn(value, "turn") ? QUOTED : CITE)(
        value,
        at,
      ),
    0,
    64,
  ),
});

/**
 * @typedef {{text: string, hash: string, table: string, n: number, prev: string | null, iss:
 * string, ts: number, step: string, fields: any}} Entry `text` is how it travels
 */
/**
 * @typedef {{json: string, hash: string, text: string, cites: any[]}} Words `json` is what an entry
 * commits to, to the byte
 */
/** @typedef {{id: string, did: string, kind: "twin" | "role" | "person", name: string}} Member */

/**
 * Read and verify one entry by itself. Refuses `malformed`, `bad_signature`, `unsupported_version`.
 * @param {string} carried @returns {Entry}
 */
export function readEntry(carried) {
  const value = readStatement(carried, ENTRY_TEXT, "turn", "iss");
  if (value.v !== 1) throw new Refusal("unsupported_version", "entry.v");
  STEP(value.step, "entry.step");
  ENTRIES[value.step](value, "entry");
  const { table, n, prev, iss, ts, step } = value;
  if ((step === "opening") !== (n === 0) || (n === 0) !== (prev === null)) misshapen("entry.n");
  const data = /** @type {Uint8Array} */ (fromB64u(carried));
  const hash = toB64u(blake("smp/1 entry", data, 32));
  return { text: carried, hash, table, n, prev, iss, ts, step, fields: value };
}

/**
 * Sign the entry that comes after another one.
 * @param {import("./keys.js").Keys} keys
 * @param {Entry} head
 * @param {number} ts
 * @param {Record<string, unknown> & {step: string}} body
 */
export function writeEntry(keys, head, ts, body) {
  const { table, n, hash: prev } = head;
  return readEntry(
    keys.statement("turn", { v: 1, table, n: n + 1, prev, iss: keys.did, ts, ...body }),
  );
}

/** Read words. Refuses `too_large`, `malformed`. @param {string} json @returns {Words} */
export function readWords(json) {
  const data = utf8(json);
  if (data.length > WORDS_TEXT) throw new Refusal("too_large", "words");
  const value = /** @type {any} */ (readJson(data));
  WORDS(value, "words");
  const hash = toB64u(blake("smp/1 said", data, 32));
  return { json, hash, text: value.text, cites: value.cites };
}

/** Write words down, with a salt of their own. @param {string} said @param {any[]} [cites] */
export const writeWords = (said, cites = []) =>
  readWords(JSON.stringify({ salt: toB64u(random(16)), text: said, cites }));

/**
 * What words quote of other turns, by the number of the turn.
 * @param {Words} words @returns {Map<number, string[]>}
 */
export function quotesOf({ cites }) {
  const found = new Map();
  for (const { turn, quote = "" } of cites)
    if (turn !== undefined) found.set(turn, [...(found.get(turn) ?? []), quote]);
  return found;
}

/**
 * Hold words against what an entry commits to. Refuses `malformed`, `bad_signature`, `over_budget`.
 * @param {Entry} entry @param {Words} words @param {number} most bytes of them
 */
export function checkWords({ step, fields }, words, most) {
  if (!Object.hasOwn(fields, "words")) misshapen("words");
  if (words.hash !== fields.words) throw new Refusal("bad_signature", "words");
  if (utf8(words.json).length > most) throw new Refusal("over_budget", "words");
  const quotes = [...quotesOf(words).keys()];
  const named = fields.quotes ?? [];
  if (quotes.length !== named.length || !quotes.every((each) => named.includes(each)))
    misshapen("words.cites");
  if (step === "summary" && words.text !== "") misshapen("words.text");
  if (step === "turn" && fields.abstained && words.cites.length > 0) misshapen("words.cites");
  if (["opening", "turn"].includes(step) && /^\p{White_Space}*$/u.test(words.text))
    misshapen("words.text");
}
