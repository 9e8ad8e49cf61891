// A table as its record makes it: which entry may come next, and which never
// (protocol/spec/discussion.md, "Order of checks"). Nothing is repaired; what does not fit is
// refused, and the table stands as it did.
import { checkWords, quotesOf } from "./entries.js";
import { DAY, SKEW } from "./keys.js";
import { MOST_ENTRIES } from "./messages.js";
import { Refusal } from "./refusals.js";
import { misshapen } from "./shape.js";

const MEMBERS = 16;
const LIFE = 30 * DAY;

/** @typedef {import("./entries.js").Entry} Entry */
/** @typedef {import("./entries.js").Words} Words */
/** @typedef {import("./entries.js").Member} Member */
/** @typedef {[entry: Entry, words: Words | undefined]} Said */

export class Table {
  /** @type {Map<number, Words>} the words that are there, by the number of their entry */
  words = new Map();
  /** @type {Map<string, Member>} */
  members = new Map();
  /** @type {Set<string>} who is there */
  present = new Set();
  round = 1;
  /** @type {Set<string>} who had their turn in this round, or failed to take it */
  heard = new Set();
  /** @type {Set<string>} those of them who failed */
  missed = new Set();
  /** @type {string | undefined} */
  called;
  paused = false;
  /** @type {Set<number>} */
  struck = new Set();
  /** @type {string | undefined} why it ended */
  closed;

  /**
   * Begin with an opening; with `now` it has to be that of a table that goes on. Refuses
   * `malformed`, `from_future`, `expired`.
   * @param {Entry} opening @param {Words} [words] @param {number} [now]
   */
  constructor(opening, words, now) {
    const { fields, ts } = opening;
    if (opening.step !== "opening") misshapen("entry.step");
    for (const each of fields.members) this.members.set(each.id, each);
    if (this.members.size !== fields.members.length) misshapen("entry.members");
    if (fields.exp <= ts || fields.exp > ts + LIFE) misshapen("entry.exp");
    if (now !== undefined && ts > now + SKEW) throw new Refusal("from_future", "entry.ts");
    if (now !== undefined && fields.exp <= now - SKEW) throw new Refusal("expired", "entry.exp");
    this.opening = opening;
    /** @type {Entry[]} */
    this.entries = [opening];
    for (const { id, did } of fields.members) if (did === opening.iss) this.present.add(id);
    if (words !== undefined) this.putWords(0, words);
  }

  /** A record as it was kept, or handed over. @param {readonly Said[]} said */
  static of(said) {
    const table = new Table(...said[0]);
    for (const [entry, words] of said.slice(1))
      if (!table.take(entry, words)) throw new Refusal("replay", "entry.n");
    return table;
  }

  get id() {
    return this.opening.table;
  }

  /** Who opened it. */
  get host() {
    return this.opening.iss;
  }

  get rules() {
    return this.opening.fields;
  }

  /** The newest entry. */
  get head() {
    return /** @type {Entry} */ (this.entries.at(-1));
  }

  get turns() {
    return this.entries.filter(({ step }) => step === "turn");
  }

  /** Who is there and does not type, in the order of the table. */
  get voices() {
    return [...this.members.values()]
      .filter(({ id, kind }) => kind !== "person" && this.present.has(id))
      .map(({ id }) => id);
  }

  /** The voices that have turns left. */
  get able() {
    const spent = this.#spent();
    if (this.turns.length >= this.rules.total) return [];
    return this.voices.filter((each) => (spent.get(each) ?? 0) < this.rules.turns);
  }

  /** Whose turn it may be in the present round, the first by the strategy first. */
  get due() {
    if (this.closed !== undefined || this.paused) return [];
    const { able } = this;
    switch (this.rules.strategy) {
      case "moderated":
        return able.filter((each) => each === this.called);
      case "free": {
        const last = this.turns.at(-1)?.fields.by;
        const alone = !able.some((each) => each !== last && !this.missed.has(each));
        return able.filter((each) => each !== last || alone);
      }
      default:
        return able.filter((each) => !this.heard.has(each)).slice(0, 1);
    }
  }

  /**
   * Whose turn it may be in a round: in this one, or in the next where this one is over.
   * @param {number} round
   */
  dueIn(round) {
    if (round === this.round) return this.due;
    if (round !== this.round + 1 || this.closed !== undefined || this.paused) return [];
    if (["moderated", "free"].includes(this.rules.strategy))
      return this.heard.size > 0 ? this.due : [];
    return this.due.length > 0 ? [] : this.able.slice(0, 1);
  }

  /** The numbers of entries whose words go: struck ones, and those that quote them. */
  get gone() {
    const gone = new Set(this.struck);
    for (const { n, fields } of this.entries)
      if (fields.quotes?.some((/** @type {number} */ each) => this.struck.has(each))) gone.add(n);
    return gone;
  }

  /** The numbers of entries whose words are not there, and were not struck. */
  get withheld() {
    const { gone } = this;
    return this.entries
      .filter(
        ({ n, fields }) => Object.hasOwn(fields, "words") && !this.words.has(n) && !gone.has(n),
      )
      .map(({ n }) => n);
  }

  /**
   * Add the next entry; false if it is there already, whose words may come later.
   * @param {Entry} entry @param {Words} [words]
   */
  take(entry, words) {
    if (entry.table !== this.id) throw new Refusal("wrong_audience", "entry.table");
    if (entry.n < this.entries.length) {
      if (entry.hash !== this.entries[entry.n].hash) throw new Refusal("replay", "entry.n");
      if (words !== undefined && !this.words.has(entry.n)) this.putWords(entry.n, words);
      return false;
    }
    if (entry.n !== this.entries.length) misshapen("entry.n");
    if (entry.prev !== this.head.hash) throw new Refusal("replay", "entry.prev");
    if (entry.n >= MOST_ENTRIES) throw new Refusal("over_budget", "entry.n");
    this.#check(entry);
    if (words !== undefined) this.#checkWords(entry, words);
    this.entries.push(entry);
    if (words !== undefined && !this.gone.has(entry.n)) this.words.set(entry.n, words);
    this.#follow(entry);
    return true;
  }

  /** Add words that came after their entry. @param {number} n @param {Words} words */
  putWords(n, words) {
    if (this.gone.has(n)) return;
    this.#checkWords(this.entries[n], words);
    this.words.set(n, words);
  }

  // --- the rules, in the order of the specification ----------------------------------------------

  /** @param {Entry} entry */
  #check(entry) {
    const { step, fields, iss } = entry;
    if (this.closed !== undefined && step !== "struck") throw new Refusal("expired", "entry.step");
    if (entry.ts < this.opening.ts - SKEW) throw new Refusal("replay", "entry.ts");
    for (const each of fields.quotes ?? []) this.#turn(each);
    if (step === "turn") this.#checkTurn(entry);
    else if (step === "joined" || step === "left") this.#checkSeat(entry);
    else if (step === "struck") this.#checkStrike(entry);
    else {
      if (iss !== this.host) throw new Refusal("sender_mismatch", "entry.iss");
      this.#checkHost(entry);
    }
  }

  /** @param {Entry} entry */
  #checkSeat(entry) {
    const { by } = entry.fields;
    const joins = entry.step === "joined";
    if (joins || entry.iss !== this.host) this.#member(entry);
    if (this.present.has(by) === joins) throw new Refusal("out_of_scope", "entry.by");
  }

  /** @param {Entry} entry */
  #checkHost({ step, fields, ts }) {
    switch (step) {
      case "invited":
        if (this.members.has(fields.member.id)) throw new Refusal("replay", "entry.member");
        if (this.members.size >= MEMBERS) throw new Refusal("over_budget", "entry.member");
        return;
      case "called":
      case "failed":
        this.#here(fields.by);
        if (step === "called" && this.rules.strategy !== "moderated")
          throw new Refusal("out_of_scope", "entry.step");
        return;
      case "paused":
      case "resumed":
        if (this.paused === (step === "paused")) throw new Refusal("out_of_scope", "entry.step");
        return;
      case "summary":
        for (const each of fields.points) this.#checkPoint(each);
        return;
      case "closed":
        return this.#checkEnd(fields.why, ts);
      default:
        misshapen("entry.step");
    }
  }

  /** @param {Entry} entry */
  #checkTurn(entry) {
    const { by, round, on, stance, abstained } = entry.fields;
    const member = this.#member(entry);
    this.#here(by);
    if (entry.ts >= this.rules.exp + SKEW) throw new Refusal("expired", "entry.ts");
    if ((this.#spent().get(by) ?? 0) >= this.rules.turns)
      throw new Refusal("over_budget", "entry.by");
    if (this.turns.length >= this.rules.total) throw new Refusal("over_budget", "entry.n");
    const answered = on === null ? undefined : this.#turn(on);
    if (stance !== null && (answered === undefined || abstained)) misshapen("entry.stance");
    if (answered?.fields.by === by) misshapen("entry.on");
    if (member.kind === "person") {
      if (round !== this.round) throw new Refusal("out_of_scope", "entry.round");
      return;
    }
    if (this.paused) throw new Refusal("out_of_scope", "entry.step");
    if (round > this.rules.rounds) throw new Refusal("over_budget", "entry.round");
    if (!this.dueIn(round).includes(by)) throw new Refusal("out_of_scope", "entry.by");
    const answers = this.rules.strategy === "debate" && round > 1 && !abstained;
    if (answers && answered === undefined) throw new Refusal("out_of_scope", "entry.on");
  }

  /** @param {Entry} entry */
  #checkStrike({ fields, iss }) {
    const struck = this.entries[fields.entry];
    if (struck === undefined || !Object.hasOwn(struck.fields, "words")) misshapen("entry.entry");
    if (iss !== this.host && iss !== struck.iss) throw new Refusal("sender_mismatch", "entry.iss");
    if (this.struck.has(fields.entry)) throw new Refusal("out_of_scope", "entry.entry");
  }

  /** What a summary says of a turn. @param {{by: string, turn: number, says: string}} point */
  #checkPoint({ by, turn, says }) {
    const { fields } = this.#turn(turn);
    const told = fields.abstained
      ? "abstained"
      : ({ agrees: "agreed", disagrees: "disagreed" }[/** @type {string} */ (fields.stance)] ??
        "said");
    const true_ = says === told || (says === "said" && told !== "abstained");
    if (fields.by !== by || !true_) throw new Refusal("sender_mismatch", "entry.points");
  }

  /** @param {string} why @param {number} ts */
  #checkEnd(why, ts) {
    if (![...this.rules.stop, "person", "alone"].includes(why))
      throw new Refusal("out_of_scope", "entry.why");
    const inTurn = ["round_robin", "debate"].includes(this.rules.strategy);
    /** @type {Record<string, () => boolean>} */
    const ends = {
      rounds: () => this.round >= this.rules.rounds && !(inTurn && this.due.length > 0),
      agreement: () => this.#agreed(),
      time: () => ts >= this.rules.exp - SKEW,
      alone: () => this.able.length === 0,
    };
    if (!(ends[why]?.() ?? true)) throw new Refusal("sender_mismatch", "entry.why");
  }

  /** Whether every voice agreed, in what it said last, to a turn that is the last of its author. */
  #agreed() {
    const last = new Map(this.turns.map((each) => [each.fields.by, each]));
    const voices = this.voices.map((each) => last.get(each));
    if (voices.length < 2) return false;
    return [...last.values()].some((turn) =>
      voices.every(
        (each) => each === turn || (each?.fields.on === turn.n && each.fields.stance === "agrees"),
      ),
    );
  }

  /** @param {Entry} entry @param {Words} words */
  #checkWords(entry, words) {
    checkWords(entry, words, this.rules.bytes);
    for (const [number, quotes] of quotesOf(words)) {
      const said = this.words.get(this.#turn(number).n);
      if (said !== undefined && !quotes.every((each) => said.text.includes(each)))
        throw new Refusal("sender_mismatch", "words.cites");
    }
  }

  /** Make the table what an entry that was taken makes it. @param {Entry} entry */
  #follow({ step, fields }) {
    switch (step) {
      case "invited":
        this.members.set(fields.member.id, fields.member);
        if (fields.member.did === this.host) this.present.add(fields.member.id);
        break;
      case "joined":
        this.present.add(fields.by);
        break;
      case "left":
        this.present.delete(fields.by);
        if (this.called === fields.by) this.called = undefined;
        break;
      case "called":
        this.called = fields.by;
        break;
      case "turn":
      case "failed":
        this.#hear(fields.by, fields.round ?? this.round);
        if (step === "failed") this.missed.add(fields.by);
        break;
      case "paused":
      case "resumed":
        this.paused = step === "paused";
        for (const each of this.missed) this.heard.delete(each);
        this.missed.clear();
        break;
      case "struck":
        this.struck.add(fields.entry);
        for (const each of this.gone) this.words.delete(each);
        break;
      case "closed":
        this.closed = fields.why;
    }
  }

  /** @param {string} by @param {number} round */
  #hear(by, round) {
    if (round > this.round) {
      this.round = round;
      this.heard.clear();
      this.missed.clear();
    }
    if (this.members.get(by)?.kind === "person") return;
    this.heard.add(by);
    this.called = undefined;
  }

  // --- small questions ---------------------------------------------------------------------------

  /** How many turns each has taken. */
  #spent() {
    /** @type {Map<string, number>} */
    const spent = new Map();
    for (const { fields } of this.turns) spent.set(fields.by, (spent.get(fields.by) ?? 0) + 1);
    return spent;
  }

  /** A member, for whom nobody else signs. @param {Entry} entry */
  #member({ fields, iss }) {
    const member = this.members.get(fields.by);
    if (member === undefined) throw new Refusal("no_grant", "entry.by");
    if (member.did !== iss) throw new Refusal("sender_mismatch", "entry.iss");
    return member;
  }

  /** @param {string} who */
  #here(who) {
    if (!this.present.has(who)) throw new Refusal("no_grant", "entry.by");
  }

  /** @param {number} n */
  #turn(n) {
    const turn = this.entries[n];
    return turn?.step === "turn" ? turn : misshapen("entry.turn");
  }
}

/**
 * Add what came to a record that is known, and give the table. What does not follow yet is left
 * out: it is sent again.
 * @param {{id: string, host: string}} name
 * @param {readonly Said[]} known
 * @param {readonly Said[]} came in any order
 * @param {number} now
 */
export function takeHanded({ id, host }, known, came, now) {
  let table = known.length > 0 ? Table.of(known) : undefined;
  for (const [entry, words] of [...came].sort(([one], [other]) => one.n - other.n)) {
    if (entry.table !== id) throw new Refusal("wrong_audience", "entry.table");
    if (entry.ts > now + SKEW) throw new Refusal("from_future", "entry.ts");
    if (table !== undefined) {
      if (entry.n <= table.entries.length) table.take(entry, words);
    } else if (entry.step === "opening") {
      if (entry.iss !== host) throw new Refusal("sender_mismatch", "entry.iss");
      table = new Table(entry, words, now);
    }
  }
  return table ?? misshapen("entries");
}

/**
 * Refuse a table that is closed while words of others are kept from its reader. It may lack its own,
 * those that it is about to strike, and what quotes either.
 * @param {Table} table @param {string} reader @param {readonly number[]} [dropped]
 */
export function checkEnd(table, reader, dropped = []) {
  if (table.closed === undefined) return;
  const missing = table.withheld.map((each) => table.entries[each]);
  const erased = new Set(dropped);
  for (const { n, iss } of missing) if (iss === reader) erased.add(n);
  for (const { n, fields } of missing)
    if (![n, ...(fields.quotes ?? [])].some((each) => erased.has(each))) misshapen("words");
}
