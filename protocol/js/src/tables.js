// Tables of contacts at which one sits (protocol/spec/discussion.md, "Between nodes"): the host asks
// for each entry, and gets it as the answer; nothing is signed unasked.
import { utf8 } from "./bytes.js";
import { quotesOf, readEntry, readWords, writeEntry, writeWords } from "./entries.js";
import { DAY } from "./keys.js";
import { newId } from "./messages.js";
import { Refusal } from "./refusals.js";
import { allowsTurn, readTableGrant } from "./table-grants.js";
import { checkEnd, Table, takeHanded } from "./table.js";

/** Invitations of one contact that wait for the person. */
const MOST_INVITATIONS = 20;
const HOUR = 3_600;
/** Entries of one message, and bytes of their JSON. */
const [MOST_HANDED, HANDED_BYTES] = [64, 180_000];

/** @typedef {import("./memory.js").Contact} Contact */
/** @typedef {import("./table-grants.js").TableGrant} TableGrant */
/**
 * @typedef {{id: string, by: string, step: string, round: number, fields: Record<string, any>,
 * words?: string, entry?: string}} Own what this side says and is not in the record yet
 */
/**
 * @typedef {{table: string, host: string, members: string[], state: "invited" | "accepted" |
 * "declined" | "left", grant?: string, turns: number, said: [entry: string, words: string |
 * null][], own: Own[]}} Seat `turns`: spent
 */
/**
 * @typedef {{text: string, abstained?: boolean, cites?: any[], on?: number | null, stance?:
 * "agrees" | "disagrees" | null}} Spoken a turn; `cites` as in an answer to `ask`, or `{turn,
 * quote}` of another turn
 */
/**
 * @typedef {(asked: {table: Table, by: string, round: number, scope:
 * import("./grants.js").Scope, bytes: number, tokens: number, contact: Contact}) =>
 * Promise<Spoken>} Speak makes a turn from what lies inside the scope, or throws a `Refusal`
 */
/**
 * @typedef {{tags: string[]} & Partial<Pick<TableGrant, "kinds" | "layers" | "since" | "until" |
 * "form" | "purpose" | "turns" | "bytes" | "tokens" | "exp">>} TableTerms
 */

/**
 * @typedef {object} Home
 * @property {import("./keys.js").Keys} keys
 * @property {import("./memory.js").Memory} memory
 * @property {() => number} now seconds
 * @property {Speak} speak
 * @property {() => Promise<void>} record keeps what changed
 * @property {(event: string, detail: any) => void} tell
 * @property {(contact: Contact, body: any) => Promise<any>} send a `discuss`, to its answer
 */

export class Tables {
  /** @type {Set<string>} tables at which a turn is being made */
  #composing = new Set();

  /** @param {Home} home */
  constructor(home) {
    this.home = home;
  }

  /** Those that one was asked to, and did not decline. */
  get all() {
    return [...this.home.memory.tables.values()].filter((each) => each.state !== "declined");
  }

  /** A table as its record makes it. @param {string} id */
  read(id) {
    return record(this.#seat(id));
  }

  // --- what the person does ----------------------------------------------------------------------

  /**
   * Sit down under a grant for this table alone. What is not named is as little as makes sense.
   * @param {string} id @param {TableTerms} terms @returns {Promise<TableGrant>}
   */
  async sit(id, terms) {
    const seat = this.#seat(id, "invited");
    const { keys, now } = this.home;
    const { rules } = record(seat);
    const nbf = now();
    const text = keys.statement("grant", {
      v: 2,
      id: newId(),
      iss: keys.did,
      aud: seat.host,
      table: id,
      nbf,
      exp: Math.min(rules.exp + HOUR, nbf + 30 * DAY),
      kinds: ["passage", "world", "experience"],
      layers: ["L0", "L1"],
      since: null,
      until: null,
      form: "excerpt",
      purpose: "a table",
      turns: 30,
      bytes: rules.bytes,
      tokens: rules.tokens,
      consent: "auto",
      ...terms,
    });
    const grant = readTableGrant(text);
    Object.assign(seat, { state: "accepted", grant: text });
    await this.#send(seat, { accept: { table: id, grant: text } });
    return grant;
  }

  /** @param {string} id */
  async decline(id) {
    const seat = this.#seat(id, "invited");
    Object.assign(seat, { state: "declined", said: [] });
    await this.#send(seat, { decline: { table: id } });
  }

  /**
   * Say something as the member who types: it is in the record once the host has asked for it.
   * @param {string} id @param {string} text
   * @param {{on?: number | null, stance?: "agrees" | "disagrees" | null}} [how]
   */
  async say(id, text, { on = null, stance = null } = {}) {
    const seat = this.#seat(id, "accepted");
    const table = record(seat);
    const by = seat.members.find((each) => table.members.get(each)?.kind === "person");
    if (by === undefined) throw new TypeError("Nobody types at this table from here.");
    await this.#raise(seat, turnOf({ by, round: 1 }, { text, on, stance }));
  }

  /**
   * Erase words of one's own: here at once, and everywhere once the host has asked.
   * @param {string} id @param {number} n the number of their entry
   */
  async strike(id, n) {
    const seat = this.#seat(id);
    const table = record(seat);
    if (table.entries[n]?.iss !== this.home.keys.did || !table.words.has(n))
      throw new TypeError("There are no words of one's own.");
    for (const { n: at, fields } of table.entries)
      if (at === n || fields.quotes?.includes(n)) seat.said[at][1] = null;
    await this.#raise(seat, own(seat.members[0], "struck", { entry: n }));
  }

  /** Take the grant back, and go with all members. @param {string} id */
  async leave(id) {
    const seat = this.#seat(id, "accepted");
    const strikes = seat.own.filter(({ step }) => step === "struck");
    Object.assign(seat, { state: "left", own: strikes });
    const ways = seat.members.map((by) => own(by, "left", { by }));
    seat.own.push(...ways);
    await this.#send(seat, handOf(seat, ways[0]));
  }

  /**
   * Tell the hosts again of what waits to be said: after a start, and from time to time. Throws
   * what sending throws.
   */
  async remind() {
    for (const seat of this.all)
      for (const each of seat.own)
        if (each.entry === undefined) await this.#send(seat, handOf(seat, each));
  }

  /** Forget a table, and everything that was said there. @param {string} id */
  async forget(id) {
    this.home.memory.tables.delete(id);
    this.home.memory.goneTables.add(id);
    await this.home.record();
  }

  // --- what its host says ------------------------------------------------------------------------

  /**
   * Answer a `discuss`. Nothing is hosted here.
   * @param {Contact} contact @param {any} body
   */
  async take(contact, body) {
    const [what] = Object.keys(body);
    switch (what) {
      case "seat":
        return { have: this.#asked(contact, body.seat) };
      case "news": {
        const seat = this.#of(contact, body.news.table);
        if (seat.state === "invited") throw new Refusal("no_grant", "table");
        return { have: this.#took(seat, body.news).entries.length };
      }
      case "word":
        return this.#word(contact, body.word);
      case "behind":
        return this.#behind(contact, body.behind);
      default:
        throw new Refusal("no_grant", "table");
    }
  }

  /** @param {Contact} contact @param {any} body */
  #asked(contact, { table: id, entries, members }) {
    const { memory, keys, tell } = this.home;
    const known = memory.tables.get(id);
    if (memory.goneTables.has(id)) throw new Refusal("no_grant", "table");
    // one message is all that is kept before somebody sits down
    if (known !== undefined) return this.#of(contact, id).said.length;
    const wait = this.all.filter(
      ({ host, state }) => host === contact.card.did && state === "invited",
    );
    if (wait.length >= MOST_INVITATIONS) throw new Refusal("busy", "table");
    /** @type {Seat} */
    const seat = {
      table: id,
      host: contact.card.did,
      members,
      state: "invited",
      turns: 0,
      said: [],
      own: [],
    };
    const table = this.#read(seat, entries);
    for (const each of members) {
      const member = table.members.get(each);
      if (member?.did !== keys.did) throw new Refusal("sender_mismatch", "members");
      if (member?.kind === "role") throw new Refusal("out_of_scope", "members");
    }
    memory.tables.set(id, seat);
    this.#keep(seat, table);
    tell("table", { contact, table: id, aim: table.words.get(0)?.text ?? "" });
    return table.entries.length;
  }

  /** @param {Seat} seat @param {any} body */
  #took(seat, { entries }) {
    const table = this.#read(seat, entries);
    this.#keep(seat, table);
    return table;
  }

  /**
   * Give a host who lost entries those that are here from a number on, as many as fit.
   * @param {Contact} contact @param {any} body
   */
  #behind(contact, { table: id, n }) {
    const seat = this.#of(contact, id);
    if (seat.state === "invited") throw new Refusal("no_grant", "table");
    return { have: seat.said.length, entries: handed(seat.said.slice(n)) };
  }

  /** @param {Contact} contact @param {any} body */
  async #word(contact, { table: id, entries, by, step, n, round = 0 }) {
    const seat = this.#of(contact, id);
    if (!seat.members.includes(by)) throw new Refusal("no_grant", "by");
    if (seat.state === "invited") throw new Refusal("no_grant", "grant");
    const table = this.#took(seat, { entries });
    // one of the two has lost some
    if (table.entries.length !== n) return { have: table.entries.length };
    if (seat.state === "left" && !["left", "struck"].includes(step))
      throw new Refusal("revoked", "grant");
    const speaks = step === "turn" && table.members.get(by)?.kind !== "person";
    const said = speaks
      ? await this.#turn(contact, seat, { by, round })
      : this.#wanted(seat, { by, step });
    return this.#signed(seat, said);
  }

  /**
   * The turn of the second self: made once, and spent when it is signed.
   * @param {Contact} contact @param {Seat} seat @param {{by: string, round: number}} at
   */
  async #turn(contact, seat, { by, round }) {
    // what was signed for a round that is over did not get in
    seat.own = seat.own.filter(
      (each) => each.by !== by || each.step !== "turn" || each.round === round,
    );
    const ready = seat.own.find((each) => each.by === by && each.step === "turn");
    const table = record(seat);
    const { bytes, tokens } = table.rules;
    const scope = this.#allowed(seat, ready === undefined ? 0 : 1);
    if (!table.dueIn(round).includes(by)) throw new Refusal("out_of_scope", "by");
    if (ready !== undefined) return ready;
    if (this.#composing.has(seat.table)) throw new Refusal("busy", "turn");
    this.#composing.add(seat.table);
    try {
      const spoken = await this.home.speak({ table, by, round, scope, bytes, tokens, contact });
      const made = turnOf({ by, round }, spoken);
      this.#allowed(seat, 0); // it may have been taken back meanwhile
      return made;
    } finally {
      this.#composing.delete(seat.table);
    }
  }

  /** @param {Seat} seat @param {number} again turns of it that are paid for already */
  #allowed(seat, again) {
    const { bytes, tokens } = record(seat).rules;
    const held = {
      grant: readTableGrant(/** @type {string} */ (seat.grant)),
      revoked: seat.state !== "accepted",
      turns: seat.turns - again,
    };
    const asked = { by: seat.host, owner: this.home.keys.did, table: seat.table, bytes, tokens };
    return allowsTurn(held, asked, this.home.now());
  }

  /** What the person wanted to say, or that they are there. @param {Seat} seat @param {any} named */
  #wanted(seat, { by, step }) {
    const ready = seat.own.find((each) => each.by === by && each.step === step);
    if (ready !== undefined) return ready;
    if (step !== "joined" || seat.state !== "accepted") throw new Refusal("out_of_scope", "step");
    const twin = record(seat).members.get(by)?.kind === "twin";
    const grant = twin ? readTableGrant(/** @type {string} */ (seat.grant)).id : null;
    return own(by, "joined", { by, grant });
  }

  /**
   * Sign what is said in the next place, unless it is signed for that one.
   * @param {Seat} seat @param {Own} said
   */
  #signed(seat, said) {
    const table = record(seat);
    const have = table.entries.length;
    const words = said.words === undefined ? undefined : readWords(said.words);
    let entry = said.entry === undefined ? undefined : readEntry(said.entry);
    if (entry === undefined || entry.n !== have || entry.prev !== table.head.hash) {
      const { fields, step, by } = said;
      const body = { step, ...fields, ...(words === undefined ? {} : { words: words.hash }) };
      const types = step === "turn" && table.members.get(by)?.kind === "person";
      entry = writeEntry(
        this.home.keys,
        table.head,
        this.home.now(),
        types ? { ...body, round: table.round } : body,
      );
    }
    table.take(entry, words); // the record takes it, or it is refused
    if (!seat.own.includes(said)) {
      seat.own.push(said);
      if (said.round > 0) seat.turns += 1;
    }
    said.entry = entry.text;
    return words === undefined
      ? { have, entry: entry.text }
      : { have, entry: entry.text, words: words.json };
  }

  // --- the record --------------------------------------------------------------------------------

  /** @param {string} id @param {Seat["state"]} [state] that it has to be in */
  #seat(id, state) {
    const seat = this.home.memory.tables.get(id);
    if (seat === undefined || (state !== undefined && seat.state !== state))
      throw new TypeError("Nobody sits at such a table.");
    return seat;
  }

  /** A seat at a table of this contact. @param {Contact} contact @param {string} id */
  #of(contact, id) {
    const seat = this.home.memory.tables.get(id);
    if (seat === undefined || seat.host !== contact.card.did || seat.state === "declined")
      throw new Refusal("no_grant", "table");
    return seat;
  }

  /** @param {Seat} seat @param {{entry: string, words: string | null}[]} entries */
  #read(seat, entries) {
    const came = entries.map(({ entry, words }) => said(entry, words));
    const name = { id: seat.table, host: seat.host };
    const table = takeHanded(
      name,
      seat.said.map((each) => said(...each)),
      came,
      this.home.now(),
    );
    checkEnd(table, this.home.keys.did, struckBy(seat));
    return table;
  }

  /** Keep a record as it is now; what this side said and stands in it waits no more. */
  #keep(/** @type {Seat} */ seat, /** @type {Table} */ table) {
    const { keys, memory, tell } = this.home;
    const before = seat.said.length;
    const struck = struckBy(seat);
    seat.said = table.entries.map(({ text, n, iss, fields }) => {
      // what was erased here does not come back
      const own_ = iss === keys.did || struck.some((each) => fields.quotes?.includes(each));
      const erased = own_ && n < before && seat.said[n][1] === null;
      return [text, erased ? null : (table.words.get(n)?.json ?? null)];
    });
    const mine = table.entries.filter(({ iss }) => iss === keys.did);
    const there = new Set(mine.flatMap(({ text, fields }) => [text, fields.words ?? text]));
    seat.own = seat.own.filter(
      ({ entry, words }) =>
        !there.has(entry ?? "") && !(words !== undefined && there.has(readWords(words).hash)),
    );
    const contact = memory.contacts.get(seat.host);
    if (before > 0 && table.entries.length > before) tell("said", { contact, table });
  }

  /** @param {Seat} seat @param {Own} one */
  async #raise(seat, one) {
    seat.own.push(one);
    await this.#send(seat, handOf(seat, one));
  }

  /** @param {Seat} seat @param {any} body */
  async #send(seat, body) {
    const contact = this.home.memory.contacts.get(seat.host);
    if (contact === undefined) throw new TypeError("Its host is no contact.");
    await this.home.send(contact, body);
  }
}

/** @param {string} entry @param {string | null} words @returns {import("./table.js").Said} */
const said = (entry, words) => [readEntry(entry), words === null ? undefined : readWords(words)];

/**
 * Write entries down for a message: the first of these, as many as one holds.
 * @param {Seat["said"]} some
 */
function handed(some) {
  const items = [];
  let size = 0;
  for (const [entry, words] of some) {
    size += utf8(JSON.stringify({ entry, words })).length;
    if (items.length > 0 && (size > HANDED_BYTES || items.length >= MOST_HANDED)) break;
    items.push({ entry, words });
  }
  return items;
}

/** The table of a seat. @param {Seat} seat */
const record = (seat) => Table.of(seat.said.map((each) => said(...each)));

/** @param {string} by @param {string} step @param {Record<string, any>} fields @returns {Own} */
const own = (by, step, fields) => ({ id: newId(), by, step, round: 0, fields });

/** A turn that is not signed yet. @param {{by: string, round: number}} at @param {Spoken} spoken */
function turnOf({ by, round }, { text, abstained = false, cites = [], on = null, stance = null }) {
  const words = writeWords(text, cites);
  const fields = { by, round, abstained, on, stance, quotes: [...quotesOf(words).keys()] };
  return { ...own(by, "turn", fields), round, words: words.json };
}

/** The numbers of entries that this side is about to strike. @param {Seat} seat @returns {number[]} */
const struckBy = ({ own }) =>
  own.filter(({ step }) => step === "struck").map(({ fields }) => fields.entry);

/** @param {Seat} seat @param {Own} one */
const handOf = ({ table }, { by, step }) => ({ hand: { table, by, step } });
