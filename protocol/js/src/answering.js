// The end of a stream that is asked (protocol/spec/session.md): the bytes of a request in, the
// bytes of what is said to it out.
import { checkHello, writeWelcome } from "./contact.js";
import { ANSWER, open, seal, sign, writeNotice } from "./envelope.js";
import { allows, readGrant, stands } from "./grants.js";
import { follows, readCard, readRotation } from "./keys.js";
import { ANSWERS, GRANTED, MESSAGE_LIFE, newId } from "./messages.js";
import { Refusal } from "./refusals.js";
import { misshapen } from "./shape.js";

const AT_ONCE = 4;
const AT_ONCE_IN_ALL = 32;
/** Seconds after which who asks twice while it is worked on may ask again. */
const AFTER = 5;

/** @typedef {import("./memory.js").Contact} Contact */
/** @typedef {import("./messages.js").Message} Message */
/**
 * @typedef {{verb: string, body: any, scope: import("./grants.js").Scope, contact: Contact,
 * message: Message}} Asked
 */
/**
 * @typedef {(asked: Asked) => Promise<any>} Answer what answers `ask`, `recall` and `fetch` from
 * inside the scope: a body of the verb, or a `Refusal`
 */

/**
 * @typedef {object} Node
 * @property {import("./keys.js").Keys} keys
 * @property {() => import("./keys.js").Card} card
 * @property {import("./memory.js").Memory} memory
 * @property {import("./pace.js").Pace} pace
 * @property {() => number} now seconds
 * @property {Answer} answer
 * @property {(contact: Contact, body: any) => Promise<any>} discuss
 * @property {() => Promise<void>} record keeps what changed, before anything is said
 * @property {(event: string, detail: any) => void} tell
 * @property {(peer: string) => string[]} places where a peer said that it listens
 */

/** Requests of contacts that are worked on. */
class Crowd {
  /** @type {Map<string, number>} */
  each = new Map();
  all = 0;

  /** Do it, if there is room. @template T @param {string} did @param {() => Promise<T>} work */
  async within(did, work) {
    const here = this.each.get(did) ?? 0;
    if (here >= AT_ONCE || this.all >= AT_ONCE_IN_ALL) throw new Refusal("busy", "pace");
    this.each.set(did, here + 1);
    this.all += 1;
    try {
      return await work();
    } finally {
      this.each.set(did, /** @type {number} */ (this.each.get(did)) - 1);
      this.all -= 1;
    }
  }
}

/** Answers requests; one for each node. */
export class Answering {
  #crowd = new Crowd();

  /** @param {Node} node */
  constructor(node) {
    this.node = node;
  }

  /**
   * Take a request to what is said to it; undefined: the stream is closed without a byte.
   * @param {string} peer what Noise proved
   * @param {Uint8Array} data
   * @returns {Promise<Uint8Array | undefined>}
   */
  async take(peer, data) {
    const { keys, memory } = this.node;
    const known = memory.byPeer(peer);
    const contact = known?.state === "active" || known?.state === "changed" ? known : undefined;
    let message;
    try {
      const opened = open(data, keys, contact?.card.did, this.node.now());
      message = opened.message;
      const body =
        contact === undefined
          ? this.#stranger(peer, message, opened.json)
          : await this.#known(peer, contact, message, opened.json);
      return await this.#say(message, message.verb, body);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (contact === undefined) return undefined;
      const re = message?.id ?? error.re;
      if (re !== undefined)
        return this.#say({ id: re, iss: contact.card.did }, "refusal", refusalOf(error));
      return error.code === "unknown_key" ? writeNotice(this.node.card().text) : undefined;
    }
  }

  /** @param {Pick<Message, "id" | "iss">} message @param {string} verb @param {any} body */
  async #say({ id, iss }, verb, body) {
    const { keys, memory } = this.node;
    const { card } = /** @type {Contact} */ (memory.contacts.get(iss));
    const now = this.node.now();
    await this.node.record();
    /** @type {Message} */
    const said = {
      v: 1,
      id: newId(),
      iss: keys.did,
      aud: card.did,
      ts: now,
      exp: now + MESSAGE_LIFE,
      verb,
      body,
      re: id,
    };
    return seal(sign(said, keys), card.box, ANSWER);
  }

  /** @param {string} peer @param {Message} message @param {Uint8Array} json */
  #stranger(peer, message, json) {
    if (message.verb !== "hello") throw new Refusal("no_grant", "verb");
    return this.#hello(peer, message, () => {
      const { claim, row } = this.node.memory.claim(message, json, this.node.now());
      if (claim !== "new") throw new Refusal("replay", "id");
      return row;
    });
  }

  /**
   * @param {string} peer
   * @param {Contact} contact
   * @param {Message} message
   * @param {Uint8Array} json
   */
  async #known(peer, contact, message, json) {
    const { memory, pace } = this.node;
    const now = this.node.now();
    if (contact.state === "changed" && !["card", "bye"].includes(message.verb))
      throw new Refusal("consent_required", "contact");
    if (!pace.admits(message.iss, message.verb, now)) throw new Refusal("busy", "pace");
    const { row, claim } = memory.claim(message, json, now);
    if (claim === "other") throw new Refusal("replay", "id");
    // what was said at a table is decided anew: one may have left since
    const anew = message.verb === "discuss" && row.state === "answered" && row.body !== undefined;
    if (claim === "same" && row.state !== "waiting" && !anew) return this.#again(row, message);
    row.state = "working";
    try {
      row.body = await this.#crowd.within(message.iss, () =>
        this.#done(peer, contact, message, row),
      );
      row.state = "answered";
      return row.body;
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal("busy", "answer");
      const later = refusal.code === "busy" || refusal.code === "consent_required";
      Object.assign(row, later ? { state: "waiting" } : { state: "refused", code: refusal.code });
      if (refusal.code === "consent_required") this.node.tell("waiting", { contact, message });
      throw refusal;
    }
  }

  /** The same message again. @param {import("./memory.js").Seen} row @param {Message} message */
  #again(row, message) {
    if (row.state === "working") throw Object.assign(new Refusal("busy", "work"), { after: AFTER });
    if (row.state === "refused") throw new Refusal(row.code ?? "replay");
    if (row.body === undefined) throw new Refusal("replay", "id");
    this.#fallen(message);
    return row.body;
  }

  /** Refuse where the grant does not stand any more. @param {Message} message */
  #fallen({ grant, iss, aud }) {
    if (grant === undefined) return;
    const held = this.node.memory.held(grant, this.node.now());
    if (held === undefined) throw new Refusal("no_grant", "grant");
    stands(held, iss, aud, this.node.now());
  }

  /**
   * @param {string} peer
   * @param {Contact} contact
   * @param {Message} message
   * @param {import("./memory.js").Seen} row
   */
  async #done(peer, contact, message, row) {
    const { memory } = this.node;
    const { body } = message;
    switch (message.verb) {
      case "hello":
        return this.#hello(peer, message, () => row, contact);
      case "card":
        return this.#introduced(contact, body);
      case "grant":
        return this.#granted(message);
      case "offer":
        this.node.tell("offer", { contact, offer: { id: message.id, ...body } });
        return { kept: true };
      case "discuss": {
        const { table } = /** @type {any} */ (Object.values(body)[0]);
        memory.forgetSaid(table, row);
        return this.node.discuss(contact, body);
      }
      case "bye":
        memory.end(contact);
        this.node.tell("ended", { contact });
        return {};
      default:
        if (GRANTED.includes(message.verb) && message.grant !== undefined)
          return this.#asked(contact, message);
        throw new Refusal("out_of_scope", "offer");
    }
  }

  /**
   * @param {string} peer
   * @param {Message} message
   * @param {() => import("./memory.js").Seen} claimed
   * @param {Contact} [known]
   */
  #hello(peer, message, claimed, known) {
    const { memory } = this.node;
    const invite = memory.invites.get(message.body.invite);
    if (invite === undefined || memory.contacts.get(message.iss)?.state === "blocked")
      throw new Refusal("no_grant", "invite");
    const card = checkHello(invite, message.body, message.iss, peer, this.node.now());
    if (known !== undefined) follows(known.card, card);
    const row = claimed();
    memory.invites.delete(invite.id);
    const { body, met } = writeWelcome(invite, message.body, card, this.node.card());
    const contact = memory.keep(met, this.node.places(peer));
    Object.assign(row, { state: "answered", body });
    this.node.tell("contact", { contact });
    return body;
  }

  /** @param {Contact} contact @param {any} body */
  #introduced(contact, body) {
    const now = this.node.now();
    const card = readCard(body.card, now);
    if (body.rotation !== undefined) {
      if (contact.state === "changed") throw new Refusal("consent_required", "rotation");
      const rotation = readRotation(body.rotation, now);
      if (rotation.old !== contact.card.did || card.did !== rotation.new)
        throw new Refusal("sender_mismatch", "rotation");
      if (card.seq < rotation.seq) throw new Refusal("replay", "rotation.seq");
      Object.assign(contact, { state: "changed", next: card.text });
      this.node.tell("changed", { contact });
    } else if (follows(contact.card, card) === "newer") contact.card = card;
    return { card: this.node.card().text };
  }

  /** @param {Message} message */
  #granted({ iss, aud, body }) {
    const { memory } = this.node;
    const now = this.node.now();
    if (body.revoked !== undefined) {
      const received = memory.received.get(body.revoked);
      if (received?.grant.iss === iss) {
        received.ended = true;
        this.node.tell("revoked", { grant: received.grant });
      }
      return { kept: true };
    }
    const text = body.give ?? body.lodge;
    const grant = readGrant(text);
    if (body.give !== undefined) {
      if (grant.iss !== iss || grant.aud !== aud) throw new Refusal("sender_mismatch", "grant");
      if ((grant.parent === null) === (body.owner !== undefined)) misshapen("body.owner");
      memory.received.set(grant.id, { grant, text, ended: false });
      this.node.tell("grant", { grant });
      return { kept: true };
    }
    if (grant.aud !== iss || grant.parent === null) throw new Refusal("sender_mismatch", "grant");
    const parent = memory.held(grant.parent, now);
    if (parent === undefined) throw new Refusal("no_grant", "parent");
    stands({ grant, parent }, iss, aud, now);
    const row = memory.given.get(grant.id);
    if (row !== undefined && JSON.stringify(row.grant) !== JSON.stringify(grant))
      throw new Refusal("replay", "grant.id");
    if (row?.revoked) throw new Refusal("revoked", "grant");
    if (row === undefined)
      memory.given.set(grant.id, { grant, revoked: false, day: 0, spent: {}, parent });
    return { kept: true };
  }

  /** @param {Contact} contact @param {Message} message */
  async #asked(contact, message) {
    const { memory } = this.node;
    const { body, verb } = message;
    const row = memory.held(/** @type {string} */ (message.grant), this.node.now());
    if (row === undefined) throw new Refusal("no_grant", "grant");
    const cost = { calls: 1, bytes: body.bytes, tokens: body.tokens ?? 0 };
    const consented = memory.consented.has(message.id);
    const wanted = {
      by: message.iss,
      owner: message.aud,
      verb,
      purpose: body.purpose,
      scope: body.scope,
      cost,
      consented,
    };
    const scope = allows(row, wanted, this.node.now());
    memory.spend(row, cost);
    const { day } = row;
    let used = { calls: 0, bytes: 0, tokens: 0 };
    try {
      await this.node.record();
      const answer = await this.node.answer({ verb, body, scope, contact, message });
      ANSWERS[verb](answer, "body");
      const size = new TextEncoder().encode(JSON.stringify(answer)).length;
      if (size > body.bytes) throw new TypeError("The answer is longer than was asked for.");
      this.#fallen(message);
      used = { calls: 1, bytes: size, tokens: Math.min(cost.tokens, answer.tokens ?? 0) };
      return answer;
    } finally {
      const back = {
        calls: used.calls - cost.calls,
        bytes: used.bytes - cost.bytes,
        tokens: used.tokens - cost.tokens,
      };
      if (memory.held(row.grant.id, this.node.now())?.day === day) memory.spend(row, back);
    }
  }
}

/** @param {Refusal & {after?: number}} refusal */
const refusalOf = ({ code, after }) => (after === undefined ? { code } : { code, after });
