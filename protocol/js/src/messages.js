// Messages, and the shapes of what each verb asks and answers (protocol/spec/messages.md).
import { toB64u } from "./bytes.js";
import { DAY, DID, random, SKEW } from "./keys.js";
import { AGAIN, Refusal } from "./refusals.js";
import {
  bytes,
  choice,
  flag,
  HASH,
  ID,
  line,
  list,
  matching,
  misshapen,
  number,
  orNull,
  record,
  SECONDS,
  text,
  VERSION,
  yes,
} from "./shape.js";

export const MESSAGE_LIFE = 7 * DAY;
export const FORMS = ["answer", "summary", "excerpt", "verbatim"];
export const GRANTED = ["ask", "recall", "fetch"];
export const LAYER_NAMES = ["L0", "L1", "L2"];
export const KIND_NAMES = ["passage", "world", "experience", "opinion", "observation"];
export const PURPOSE = line(80);
export const TAGS = list(line(64), 1, 64, { distinct: true });
export const KINDS = list(choice(KIND_NAMES), 1, KIND_NAMES.length, { distinct: true });
export const LAYERS = list(choice(LAYER_NAMES), 1, LAYER_NAMES.length, { distinct: true });
export const FORM = choice(FORMS);

/** Of a signed entry of a table, in characters. */
export const ENTRY_TEXT = 16_384;
/** Of the words of one entry, in bytes. */
export const WORDS_TEXT = 65_536;
/** Of one table. */
export const MOST_ENTRIES = 4_096;
export const MEMBER_ID = matching(/^[a-z0-9-]{1,32}$/);

const WISH = record(
  {},
  { tags: TAGS, kinds: KINDS, layers: LAYERS, since: SECONDS, until: SECONDS, form: FORM },
);
const CARD = text(1, 4_096);
const GRANT = text(1, 16_384);
const BUDGET = number(1_024, 1_000_000);
const SIZE = number(1, 2 ** 30);
const START = number(0, 2 ** 30);
const MEDIA = matching(/^[a-z0-9.+-]{1,64}\/[a-z0-9.+-]{1,64}$/);
const PLACE = {
  item: ID,
  layer: choice(LAYER_NAMES),
  kind: choice(KIND_NAMES),
  at: orNull(SECONDS),
};
/** What an answer rests on. */
export const CITE = record(PLACE, { quote: text(1, 2_000) });
const NOTHING = record();
const KEPT = record({ kept: yes });
const HANDED = list(
  record({ entry: text(1, ENTRY_TEXT), words: orNull(text(1, WORDS_TEXT)) }),
  0,
  64,
);
const STEP = choice(["joined", "turn", "left", "struck"]);
const ABOUT = { table: ID, entries: HANDED };

/**
 * What has exactly one of these fields.
 * @param {Record<string, import("./shape.js").Shape>} shapes by the field
 * @returns {import("./shape.js").Shape}
 */
const oneOf = (shapes) => (value, at) => {
  const name = Object.keys(shapes).find(
    (each) => value !== null && typeof value === "object" && Object.hasOwn(value, each),
  );
  return name === undefined ? misshapen(at) : shapes[name](value, at);
};

/** @type {Record<string, import("./shape.js").Shape>} */
const REQUESTS = {
  hello: record({ invite: ID, nonce: ID, card: CARD, proof: HASH }),
  card: record({ card: CARD }, { rotation: text(1, 1_024) }),
  ask: record(
    { question: text(1, 4_000), purpose: PURPOSE, bytes: BUDGET, tokens: number(1, 8_192) },
    { language: matching(/^[a-z]{2,3}$/), scope: WISH },
  ),
  recall: record(
    { query: text(1, 1_000), purpose: PURPOSE, bytes: BUDGET, most: number(1, 50) },
    { scope: WISH },
  ),
  offer: record({
    item: ID,
    title: line(200),
    media: MEDIA,
    size: SIZE,
    hash: HASH,
    until: SECONDS,
  }),
  fetch: record({ item: ID, purpose: PURPOSE, bytes: BUDGET, start: START }, { offer: ID }),
  grant: oneOf({
    give: record({ give: GRANT }, { owner: DID }),
    lodge: record({ lodge: GRANT }),
    revoked: record({ revoked: ID }),
  }),
  discuss: oneOf({
    seat: record({
      seat: record({ ...ABOUT, members: list(MEMBER_ID, 1, 4, { distinct: true }) }),
    }),
    news: record({ news: record(ABOUT) }),
    word: record({
      word: record(
        { ...ABOUT, by: MEMBER_ID, step: STEP, n: number(1, MOST_ENTRIES) },
        { round: number(1, 100) },
      ),
    }),
    behind: record({ behind: record({ table: ID, n: number(1, MOST_ENTRIES) }) }),
    accept: record({ accept: record({ table: ID, grant: GRANT }) }),
    decline: record({ decline: record({ table: ID }) }),
    hand: record({ hand: record({ table: ID, by: MEMBER_ID, step: STEP }) }),
  }),
  bye: NOTHING,
};

/** @type {Record<string, import("./shape.js").Shape>} */
export const ANSWERS = {
  hello: record({ nonce: ID, card: CARD, proof: HASH }),
  card: record({ card: CARD }),
  ask: record({
    text: text(0, 65_536),
    abstained: flag,
    form: FORM,
    cites: list(CITE, 0, 64),
    tokens: number(0, 8_192),
  }),
  recall: record({ items: list(record({ ...PLACE, form: FORM, text: text(1, 20_000) }), 0, 50) }),
  offer: KEPT,
  fetch: record({ hash: HASH, size: SIZE, start: START, data: bytes(0, 750_000) }),
  grant: KEPT,
  discuss: record(
    { have: number(0, MOST_ENTRIES) },
    { entry: text(1, ENTRY_TEXT), words: text(1, WORDS_TEXT), entries: ABOUT.entries },
  ),
  bye: NOTHING,
  refusal: record({ code: choice(Object.keys(AGAIN)) }, { after: number(1, MESSAGE_LIFE) }),
};

const HEAD = {
  v: VERSION,
  id: ID,
  iss: DID,
  aud: DID,
  ts: SECONDS,
  exp: SECONDS,
  verb: matching(/^[a-z]{1,16}$/),
  body: record(),
};
const REQUEST = record(HEAD, { grant: ID });
const ANSWER = record({ ...HEAD, re: ID });

/**
 * @typedef {{v: 1, id: string, iss: string, aud: string, ts: number, exp: number, verb: string,
 * body: any, grant?: string, re?: string}} Message
 */

export const newId = () => toB64u(random(16));

/** `["*"]` stands alone. @param {string[]} [tags] */
export function checkTags(tags = []) {
  if (tags.length > 1 && tags.includes("*")) misshapen("tags");
}

/**
 * Check a message whose signature, sender and audience are good: version, shape, verb, body, life,
 * clock.
 * @param {any} fields @param {number} now @param {boolean} answer @returns {Message}
 */
export function checkMessage(fields, now, answer) {
  if (fields.v !== 1) throw new Refusal("unsupported_version", "v");
  const plain =
    fields.body !== null && typeof fields.body === "object" && !Array.isArray(fields.body);
  (answer ? ANSWER : REQUEST)(plain ? { ...fields, body: {} } : fields, "");
  const bodies = answer ? ANSWERS : REQUESTS;
  if (!Object.hasOwn(bodies, fields.verb)) throw new Refusal("unsupported_version", "verb");
  bodies[fields.verb](fields.body, "body");
  if (!answer) {
    const needed = GRANTED.includes(fields.verb) && !Object.hasOwn(fields.body, "offer");
    if (Object.hasOwn(fields, "grant") !== needed) misshapen("grant");
    checkTags(fields.body.scope?.tags);
  }
  if (fields.exp - fields.ts <= 0 || fields.exp - fields.ts > MESSAGE_LIFE) misshapen("exp");
  if (fields.ts > now + SKEW) throw new Refusal("from_future", "ts");
  if (fields.exp <= now - SKEW) throw new Refusal("expired", "exp");
  return fields;
}
