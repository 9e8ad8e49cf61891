// What a client remembers. It lives in memory: `toJSON` gives it to whoever keeps it, `Memory.read`
// takes it up again.
import { sha256 } from "@noble/hashes/sha2.js";

import { toB64u } from "./bytes.js";
import { readInvite } from "./contact.js";
import { sum } from "./grants.js";
import { DAY, readKept, SKEW } from "./keys.js";

/** @typedef {import("./keys.js").Card} Card */
/** @typedef {import("./grants.js").Grant} Grant */
/** @typedef {"active" | "changed" | "blocked" | "ended"} State */
/**
 * @typedef {{card: Card, state: State, addrs: string[], words: string[], kana: string[], told:
 * number, next?: string}} Contact `told`: the `seq` of our card that they answered to
 */
/**
 * @typedef {{grant: Grant, revoked: boolean, day: number, spent:
 * Partial<import("./grants.js").Cost>, parent?: Row}} Row
 */
/** @typedef {{grant: Grant, text: string, ended: boolean}} Received */
/**
 * @typedef {{hash: string, until: number, state: "working" | "waiting" | "answered" | "refused",
 * body?: any, code?: string, grant?: string, table?: string}} Seen
 */

export class Memory {
  /** Cards' number, and who is known by it: the last one that was written. */
  seq = 0;
  /** @type {Map<string, Contact>} by DID */
  contacts = new Map();
  /** @type {Map<string, import("./contact.js").Invite>} those that are open, by id */
  invites = new Map();
  /** @type {Map<string, Row>} grants of ours, by id */
  given = new Map();
  /** @type {Map<string, Received>} grants to us, by id */
  received = new Map();
  /** @type {Map<string, Seen>} messages that came in, by issuer and id */
  seen = new Map();
  /** @type {Set<string>} messages that the person said yes to, by id */
  consented = new Set();
  /** @type {Map<string, import("./tables.js").Seat>} tables of contacts, by id */
  tables = new Map();
  /** @type {Set<string>} tables that were forgotten: nobody is asked to them again */
  goneTables = new Set();

  toJSON() {
    const contacts = [...this.contacts].map(([did, { card, ...more }]) => [
      did,
      { ...more, card: card.text },
    ]);
    const given = [...this.given].map(([id, { parent, ...row }]) => [
      id,
      { ...row, parent: parent?.grant.id },
    ]);
    return {
      v: 1,
      seq: this.seq,
      contacts,
      invites: [...this.invites.values()].map(({ link }) => link),
      given,
      received: [...this.received],
      seen: [...this.seen],
      consented: [...this.consented],
      tables: [...this.tables.values()],
      goneTables: [...this.goneTables],
    };
  }

  /** @param {any} saved what `toJSON` gave */
  static read(saved) {
    const memory = new Memory();
    memory.seq = saved.seq;
    for (const [did, { card, ...more }] of saved.contacts)
      memory.contacts.set(did, { ...more, card: readKept(card) });
    for (const link of saved.invites) memory.open(readInvite(link));
    for (const [id, row] of saved.given) memory.given.set(id, { ...row, parent: undefined });
    for (const [id, row] of saved.given)
      if (row.parent)
        /** @type {Row} */ (memory.given.get(id)).parent = memory.given.get(row.parent);
    memory.received = new Map(saved.received);
    memory.seen = new Map(saved.seen);
    memory.consented = new Set(saved.consented);
    memory.tables = new Map(
      (saved.tables ?? []).map((/** @type {any} */ each) => [each.table, each]),
    );
    memory.goneTables = new Set(saved.goneTables);
    // what was being worked on when this was kept is decided anew when it comes again
    for (const row of memory.seen.values()) if (row.state === "working") row.state = "waiting";
    return memory;
  }

  /** @param {string} peer a peer id */
  byPeer(peer) {
    return [...this.contacts.values()].find((each) => each.card.peer === peer);
  }

  /** @param {import("./contact.js").Invite} invite */
  open(invite) {
    this.invites.set(invite.id, invite);
  }

  /** Whether somebody may come in by an invite. @param {number} now */
  expects(now) {
    return [...this.invites.values()].some((each) => each.exp > now);
  }

  /** @param {import("./contact.js").Met} met @param {string[]} addrs @returns {Contact} */
  keep({ card, words, kana }, addrs) {
    const known = this.contacts.get(card.did);
    if (known?.state === "ended") this.forgetGrants(card.did);
    /** @type {Contact} */
    const contact = {
      card,
      words,
      kana,
      state: "active",
      addrs: addrs.length > 0 ? addrs : (known?.addrs ?? []),
      told: this.seq,
    };
    this.contacts.set(card.did, contact);
    return contact;
  }

  /** End a contact, with all grants both ways. @param {Contact} contact */
  end(contact) {
    contact.state = "ended";
    this.forgetGrants(contact.card.did);
  }

  /** @param {string} did */
  forgetGrants(did) {
    for (const row of this.given.values())
      if (row.grant.aud === did || row.grant.iss === did) row.revoked = true;
    for (const each of this.received.values()) if (each.grant.iss === did) each.ended = true;
    for (const each of this.tables.values()) if (each.host === did) each.state = "left";
  }

  /** A grant of ours as it stands today. @param {string} id @param {number} now */
  held(id, now) {
    const row = this.given.get(id);
    const today = Math.floor(now / DAY);
    for (const each of [row, row?.parent]) {
      if (each !== undefined && each.day !== today) Object.assign(each, { day: today, spent: {} });
    }
    return row;
  }

  /** @param {Row} row @param {Partial<import("./grants.js").Cost>} cost negative: given back */
  spend(row, cost) {
    row.spent = sum(row.spent, cost);
    if (row.parent !== undefined) row.parent.spent = sum(row.parent.spent, cost);
  }

  /**
   * Forget what was answered about a table: its words stand in the record and nowhere else.
   * @param {string} table @param {Seen} but
   */
  forgetSaid(table, but) {
    for (const row of this.seen.values())
      if (row.table === table && row !== but && row.state === "answered") row.body = undefined;
    but.table = table;
  }

  /**
   * Look a message up in the replay table, and write it down if it is new.
   * @param {import("./messages.js").Message} message @param {Uint8Array} json @param {number} now
   */
  claim(message, json, now) {
    for (const [name, row] of this.seen) if (row.until < now) this.seen.delete(name);
    const name = `${message.iss} ${message.id}`;
    const hash = toB64u(sha256(json));
    const known = this.seen.get(name);
    if (known !== undefined) return { row: known, claim: known.hash === hash ? "same" : "other" };
    /** @type {Seen} */
    const row = { hash, until: message.exp + SKEW, state: "working", grant: message.grant };
    this.seen.set(name, row);
    return { row, claim: "new" };
  }
}
