// A second self's client: it accepts invites and makes them, asks and recalls under grants, gives
// grants and answers under them.
import { Answering } from "./answering.js";
import { checkWelcome, readInvite, writeHello, writeInvite } from "./contact.js";
import { open, readNotice, REQUEST, seal, sign } from "./envelope.js";
import { readGrant } from "./grants.js";
import { Host } from "./host.js";
import { CARD_LIFE, DAY, follows, Keys, readCard, writeCard } from "./keys.js";
import { Memory } from "./memory.js";
import { newId } from "./messages.js";
import { Pace } from "./pace.js";
import { Declined, NotReached, Refusal } from "./refusals.js";
import { Tables } from "./tables.js";

const STRANGERS = 4;
const MOST_ADDRESSES = 8;
const DIALLED = /^\/(?:ip4|ip6|dns|dns4|dns6)\/[^/]{1,100}\/tcp\/[0-9]{1,5}$/;
const VERBS = ["hello", "card", "ask", "recall", "offer", "grant", "discuss", "bye"];
/** Seconds that a message of ours is worth something. */
const LIFE = DAY;

/** @typedef {import("./memory.js").Contact} Contact */
/** @typedef {import("./messages.js").Message} Message */
/** @typedef {import("./grants.js").Grant} Grant */
/** @typedef {import("./answering.js").Answer} Answer */
/**
 * @typedef {{text: string, abstained: boolean, form: string, cites: any[], tokens: number}}
 * Answered
 */
/**
 * @typedef {{items: {item: string, layer: string, kind: string, form: string, at: number | null,
 * text: string}[]}} Recalled
 */
/**
 * @typedef {{purpose: string} & Partial<Omit<Grant, "v" | "id" | "iss" | "aud" | "purpose" |
 * "parent">>} Terms
 */

/**
 * @typedef {object} Options
 * @property {string} name what the person calls themselves
 * @property {any} [saved] what `toJSON` gave: private keys, contacts, grants
 * @property {string[]} [listen] addresses; none: nobody can come in
 * @property {string[]} [announce] what an invite names in place of them
 * @property {Answer} [answer] answers `ask` and `recall`; none: `busy`
 * @property {import("./tables.js").Speak} [speak] takes turns at tables; none: `busy`
 * @property {(saved: any) => Promise<void> | void} [save] keeps what changed, before anything is
 * said about it
 */

export class Client extends EventTarget {
  #pace = new Pace();
  /** @type {Map<string, string[]>} where peers said that they listen */
  #places = new Map();
  /** @type {import("./keys.js").Card | undefined} */
  #card;
  /** @type {Host | undefined} */
  #host;

  /** @param {Options} options */
  constructor({ name, saved, announce, answer, speak, save }) {
    super();
    this.name = name;
    this.keys = saved ? Keys.read(saved.keys) : Keys.make(this.now());
    this.memory = saved ? Memory.read(saved.memory) : new Memory();
    this.announce = announce;
    this.answer = answer;
    this.speak = speak;
    this.save = save;
    /** Tables of contacts. */
    this.tables = new Tables({
      keys: this.keys,
      memory: this.memory,
      now: () => this.now(),
      speak: async (asked) =>
        this.speak === undefined ? Promise.reject(new Refusal("busy", "speak")) : this.speak(asked),
      record: async () => this.save?.(this.toJSON()),
      tell: (event, detail) => this.dispatchEvent(new CustomEvent(event, { detail })),
      send: (contact, body) => this.send(contact, this.#message(contact.card.did, "discuss", body)),
    });
    this.answering = new Answering({
      keys: this.keys,
      card: () => this.card,
      memory: this.memory,
      pace: this.#pace,
      now: () => this.now(),
      answer: async (asked) =>
        this.answer === undefined
          ? Promise.reject(new Refusal("busy", "answer"))
          : this.answer(asked),
      discuss: (contact, body) => this.tables.take(contact, body),
      record: async () => this.save?.(this.toJSON()),
      tell: (event, detail) => this.dispatchEvent(new CustomEvent(event, { detail })),
      places: (peer) => this.#places.get(peer) ?? [],
    });
  }

  /** Make one, and let it listen. @param {Options} options */
  static async start(options) {
    const client = new Client(options);
    client.#host = await Host.start(client.keys.seeds.transport, options.listen ?? [], {
      gate: (peer, strangers) => client.#gate(peer, strangers),
      take: (peer, data) => client.answering.take(peer, data),
      found: (peer, addrs) => client.#found(peer, addrs),
    });
    return client;
  }

  async stop() {
    await this.#host?.stop();
  }

  /** Private keys, contacts and grants, in plain text: whoever keeps it locks it away. */
  toJSON() {
    return { keys: this.keys.toJSON(), memory: this.memory.toJSON() };
  }

  now() {
    return Math.floor(Date.now() / 1_000);
  }

  get did() {
    return this.keys.did;
  }

  /** Where it listens. */
  get addresses() {
    return this.#host?.addresses ?? [];
  }

  /** Contacts by whom something may be asked, or answered. */
  get contacts() {
    return [...this.memory.contacts.values()].filter((each) => each.state === "active");
  }

  /** Grants that others gave, and that stand. */
  get grants() {
    return [...this.memory.received.values()]
      .filter((each) => !each.ended && each.grant.exp > this.now())
      .map((each) => each.grant);
  }

  /**
   * This node's card: a new one where the box key turned, the name changed, or half of its life is
   * over.
   */
  get card() {
    const now = this.now();
    const turned = this.keys.turn(now);
    if (
      this.#card === undefined ||
      turned ||
      this.#card.name !== this.name ||
      this.#card.exp < now + CARD_LIFE / 2
    ) {
      this.memory.seq += 1;
      this.#card = writeCard(this.keys, {
        name: this.name,
        verbs: VERBS,
        seq: this.memory.seq,
        exp: now + CARD_LIFE,
      });
    }
    return this.#card;
  }

  // --- contacts ----------------------------------------------------------------------------------

  /** Make an invite: a secret that works once, for a day. */
  async invite() {
    const invite = writeInvite(this.card, this.announce ?? this.addresses, this.now());
    this.memory.open(invite);
    await this.save?.(this.toJSON());
    return invite.link;
  }

  /**
   * Say hello by somebody's link. Throws `NotReached`; the words of the contact can be compared
   * aloud.
   * @param {string} link
   * @returns {Promise<Contact>}
   */
  async accept(link) {
    const invite = readInvite(link);
    const { card } = this;
    const hello = writeHello(invite, card);
    const message = this.#message(invite.did, "hello", hello);
    const answer = await this.#exchanged(message, invite, { hello: true });
    const met = checkWelcome(invite, hello, answer, card, invite.peer, this.now());
    const contact = this.memory.keep(met, this.#places.get(invite.peer) ?? invite.addrs);
    await this.save?.(this.toJSON());
    return contact;
  }

  /** End a contact, on both sides. @param {Contact} contact */
  async bye(contact) {
    this.memory.end(contact);
    await this.send(contact, this.#message(contact.card.did, "bye", {}));
  }

  /**
   * Go on with a contact whose identity changed; best after their words were compared anew.
   * @param {Contact} contact
   */
  acceptChange(contact) {
    if (contact.next === undefined) throw new TypeError("Their identity did not change.");
    const card = readCard(contact.next, this.now());
    this.memory.forgetGrants(contact.card.did);
    this.memory.contacts.delete(contact.card.did);
    Object.assign(contact, { card, state: "active", next: undefined });
    this.memory.contacts.set(card.did, contact);
  }

  // --- grants ------------------------------------------------------------------------------------

  /**
   * Let a contact ask, and tell them. What is not named is as little as makes sense.
   * @param {Contact} contact
   * @param {Terms} terms
   * @returns {Promise<Grant>}
   */
  async give(contact, terms) {
    const nbf = terms.nbf ?? this.now();
    const who = {
      v: 1,
      id: newId(),
      iss: this.did,
      aud: contact.card.did,
      nbf,
      exp: terms.exp ?? nbf + 30 * DAY,
    };
    const what = {
      verbs: ["ask"],
      tags: ["*"],
      kinds: ["passage", "world", "experience"],
      layers: ["L0", "L1"],
      since: null,
      until: null,
    };
    const most = {
      form: "answer",
      calls: 20,
      bytes: 500_000,
      tokens: 10_000,
      consent: "auto",
      depth: 0,
    };
    const text = this.keys.statement("grant", {
      ...who,
      ...what,
      ...most,
      ...terms,
      nbf,
      exp: who.exp,
      parent: null,
    });
    const grant = readGrant(text);
    this.memory.given.set(grant.id, { grant, revoked: false, day: 0, spent: {} });
    await this.send(contact, this.#message(contact.card.did, "grant", { give: text }));
    return grant;
  }

  /** Take a grant back, at once, and tell them. @param {string} id */
  async revoke(id) {
    const row = this.memory.given.get(id);
    const contact = row && this.memory.contacts.get(row.grant.aud);
    if (row === undefined || contact === undefined) throw new TypeError("There is no such grant.");
    row.revoked = true;
    await this.send(contact, this.#message(contact.card.did, "grant", { revoked: id }));
  }

  /**
   * Say yes to a message that waits (the event `waiting`): it is answered when it comes again.
   * @param {string} message its id
   */
  consent(message) {
    this.memory.consented.add(message);
  }

  // --- asking ------------------------------------------------------------------------------------

  /**
   * Ask a contact's second self. The grant is theirs for this purpose, unless one is named. Throws
   * `Declined` and `NotReached`.
   * @param {Contact} contact @param {string} question
   * @param {{purpose: string, bytes?: number, tokens?: number, language?: string, scope?: any,
   * grant?: string}} how
   * @returns {Promise<Answered>}
   */
  async ask(contact, question, { grant, bytes = 20_000, tokens = 500, ...how }) {
    return this.#granted(contact, "ask", { question, bytes, tokens, ...how }, grant);
  }

  /**
   * Ask what a contact's second self remembers. Throws `Declined` and `NotReached`.
   * @param {Contact} contact @param {string} query
   * @param {{purpose: string, bytes?: number, most?: number, scope?: any, grant?: string}} how
   * @returns {Promise<Recalled>}
   */
  async recall(contact, query, { grant, bytes = 20_000, most = 10, ...how }) {
    return this.#granted(contact, "recall", { query, bytes, most, ...how }, grant);
  }

  /** @param {Contact} contact @param {string} verb @param {any} body @param {string} [grant] */
  #granted(contact, verb, body, grant) {
    const fitting = this.grants.find(
      (each) =>
        each.iss === contact.card.did && each.purpose === body.purpose && each.verbs.includes(verb),
    );
    const id = grant ?? fitting?.id;
    if (id === undefined) throw new Declined("no_grant");
    return this.send(contact, this.#message(contact.card.did, verb, body, id));
  }

  /**
   * Send a message, or the same one again: after `NotReached`, its `request`; after a `Declined`
   * whose `again` is `same`.
   * @param {Contact} contact
   * @param {Message} message
   * @returns {Promise<any>} the body of the answer
   */
  async send(contact, message) {
    const { card } = this;
    await this.save?.(this.toJSON());
    if (contact.told !== card.seq && contact.state === "active" && message.verb !== "card") {
      const { card: theirs } = await this.#exchanged(
        this.#message(contact.card.did, "card", { card: card.text }),
        contact,
      );
      this.#newer(contact, theirs);
      contact.told = card.seq;
    }
    return this.#exchanged(message, contact);
  }

  /**
   * @param {string} aud
   * @param {string} verb
   * @param {any} body
   * @param {string} [grant]
   * @returns {Message}
   */
  #message(aud, verb, body, grant) {
    const ts = this.now();
    /** @type {Message} */
    const message = { v: 1, id: newId(), iss: this.did, aud, ts, exp: ts + LIFE, verb, body };
    return grant === undefined ? message : { ...message, grant };
  }

  /**
   * @param {Message} message
   * @param {Contact | import("./contact.js").Invite} to
   * @param {{hello?: boolean}} [how]
   */
  async #exchanged(message, to, how = {}) {
    if (this.#host === undefined) throw new NotReached("It was not started.");
    const signed = sign(message, this.keys);
    try {
      for (;;) {
        const { peer, box } = "card" in to ? to.card : to;
        const came = await this.#host.ask(peer, to.addrs, seal(signed, box, REQUEST), how);
        const notice = readNotice(came);
        if (notice === undefined) return this.#opened(message, came);
        if (!("card" in to) || !this.#newer(to, notice)) throw new Refusal("replay", "notice");
      }
    } catch (error) {
      if (error instanceof Refusal)
        throw Object.assign(new NotReached(`What they said is refused: ${error.message}.`), {
          request: message,
        });
      throw Object.assign(/** @type {Error} */ (error), { request: message });
    }
  }

  /** @param {Message} message @param {Uint8Array} came */
  #opened(message, came) {
    const { message: answer } = open(came, this.keys, message.aud, this.now(), { answer: true });
    if (answer.re !== message.id || ![message.verb, "refusal"].includes(answer.verb))
      throw new Refusal("sender_mismatch", "re");
    if (answer.verb === "refusal") throw new Declined(answer.body.code, answer.body.after);
    return answer.body;
  }

  /**
   * Take a card that a contact showed, if it is newer.
   * @param {Contact} contact
   * @param {string} text
   */
  #newer(contact, text) {
    const card = readCard(text, this.now());
    if (follows(contact.card, card) !== "newer") return false;
    contact.card = card;
    return true;
  }

  // --- who comes in ------------------------------------------------------------------------------

  /** @param {string} peer @param {number} strangers @returns {import("./host.js").Entrance} */
  #gate(peer, strangers) {
    const known = this.memory.byPeer(peer);
    if (known?.state === "active" || known?.state === "changed") return "contact";
    if (known?.state === "blocked") return "closed";
    return this.memory.expects(this.now()) && strangers < STRANGERS ? "stranger" : "closed";
  }

  /** @param {string} peer @param {string[]} addrs */
  #found(peer, addrs) {
    const places = addrs
      .map((each) => each.split("/p2p/")[0])
      .filter((each) => DIALLED.test(each) && each.length <= 128);
    if (places.length === 0) return;
    this.#places.set(peer, places.slice(0, MOST_ADDRESSES));
    const contact = this.memory.byPeer(peer);
    if (contact !== undefined) contact.addrs = places.slice(0, MOST_ADDRESSES);
  }
}
