// What every implementation has to agree with: protocol/vectors.
import "../src/node20.js";

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

import { Answering } from "../src/answering.js";
import { fromB64u, toB64u, unframed, utf8 } from "../src/bytes.js";
import {
  checkHello,
  checkWelcome,
  readInvite,
  transcript,
  writeHello,
  writeWelcome,
} from "../src/contact.js";
import { readEntry, readWords } from "../src/entries.js";
import { open, readNotice, seal } from "../src/envelope.js";
import { allows, readGrant } from "../src/grants.js";
import { BOX, DID, follows, keyId, Keys, PEER, readCard, readRotation } from "../src/keys.js";
import { Memory } from "../src/memory.js";
import { checkMessage } from "../src/messages.js";
import { line, text } from "../src/shape.js";
import { checkEnd, Table, takeHanded } from "../src/table.js";
import { allowsTurn, readTableGrant } from "../src/table-grants.js";

const read = (name) =>
  JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), "utf8"));
const raw = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
const hex = (data) => Buffer.from(data).toString("hex");
const people = Object.fromEntries(read("keys").keys.map((each) => [each.name, each]));
const keysOf = ({ identity_seed: identity, transport_seed: transport, box_private: box }) =>
  Keys.read({
    identity: b64(identity),
    transport: b64(transport),
    boxes: [{ private: b64(box), made: 0, retired: null }],
  });
const b64 = (text) => toB64u(raw(text));
const plain = (value) => JSON.parse(JSON.stringify(value));

/** Whether it is done, or refused with this code. */
function ends(refused, what) {
  if (refused === null) what();
  else assert.throws(what, { name: "Refusal", code: refused });
}

describe("keys", () => {
  const vectors = read("keys");
  for (const each of vectors.keys) {
    it(`of ${each.name}`, () => {
      const keys = keysOf(each);
      assert.deepEqual(
        [keys.did, keys.peer, hex(keys.box.public), hex(keyId(keys.box.public))],
        [each.did, each.peer, each.box, each.kid],
      );
      DID(each.did, "");
      PEER(each.peer, "");
    });
  }
  it("that are none", () => {
    for (const each of vectors.not_dids) ends("malformed", () => DID(each, "did"));
    for (const each of vectors.not_peers) ends("malformed", () => PEER(each, "peer"));
    for (const each of vectors.box_keys_of_small_order)
      ends("malformed", () => BOX(toB64u(raw(each)), "box"));
  });
});

describe("cards", () => {
  const { now, known, cards, then } = read("cards");
  for (const each of cards) it(each.name, () => ends(each.refused, () => readCard(each.card, now)));
  for (const each of then) {
    it(`then ${each.name}`, () => {
      const next = () => follows(readCard(known, now), readCard(each.card, now));
      if (["newer", "same"].includes(each.outcome)) assert.equal(next(), each.outcome);
      else ends(each.outcome, next);
    });
  }
});

describe("rotations", () => {
  const { now, rotations } = read("rotations");
  for (const each of rotations)
    it(each.name, () => ends(each.refused, () => readRotation(each.rotation, now)));
});

describe("contact", () => {
  const vectors = read("contact");
  const { now } = vectors;
  const asako = readCard(read("cards").known, now);
  const bram = readCard(read("sessions").contact, now);
  const invite = readInvite(vectors.link);
  it("invite", () => assert.equal(invite.id, vectors.invite_id));
  for (const each of vectors.not_invites)
    it(`no invite: ${each.name}`, () => ends("malformed", () => readInvite(each.link)));
  it("hello", () => {
    assert.deepEqual(writeHello(invite, bram, vectors.hello.nonce), vectors.hello);
    assert.equal(
      hex(
        transcript("smp/1 hello", [
          invite.json,
          invite.did,
          bram.did,
          bram.text,
          vectors.hello.nonce,
        ]),
      ),
      vectors.hello_covers,
    );
    const { message } = open(raw(vectors.hello_envelope), keysOf(people.asako), undefined, now);
    assert.deepEqual(plain(message.body), vectors.hello);
    assert.deepEqual(checkHello(invite, message.body, message.iss, bram.peer, now), bram);
  });
  it("welcome and words", () => {
    const { body, met } = writeWelcome(invite, vectors.hello, bram, asako, vectors.welcome.nonce);
    assert.deepEqual(
      [body, met.words, met.kana],
      [vectors.welcome, vectors.words, vectors.words_kana],
    );
    const { message } = open(raw(vectors.welcome_envelope), keysOf(people.bram), invite.did, now, {
      answer: true,
    });
    assert.deepEqual(
      checkWelcome(invite, vectors.hello, message.body, bram, asako.peer, now).words,
      vectors.words,
    );
  });
});

describe("envelopes", () => {
  const { now, made, envelopes, retired } = read("envelopes");
  const keys = keysOf(people.asako);
  it("sealed", () => {
    const drawn = [raw(made.ephemeral_private), raw(made.nonce)];
    const signed = { json: utf8(made.json), signature: raw(made.signature) };
    assert.equal(
      hex(seal(signed, raw(people.asako.box), 262_144, () => drawn.shift())),
      made.envelope,
    );
  });
  for (const each of envelopes) {
    it(each.name, () => {
      const data = "zeros" in each ? new Uint8Array(each.zeros) : raw(each.envelope);
      ends(each.refused, () => open(data, keys, people.bram.did, now));
    });
  }
  for (const each of retired) {
    it(`key retired ${each.seconds_since_retired} s ago`, () => {
      const [box] = keys.boxes;
      const age = each.seconds_since_retired;
      const older = new Keys(keys.seeds.identity, keys.seeds.transport, [
        { ...box, retired: age === null ? null : now - age },
      ]);
      ends(each.refused, () => open(raw(made.envelope), older, people.bram.did, now));
    });
  }
});

describe("grants", () => {
  const { now, grants, decisions } = read("grants");
  const held = (fields) => ({
    ...fields,
    ...(fields.parent ? { parent: held(fields.parent) } : {}),
  });
  const sets = (scope) => ({
    ...scope,
    tags: scope.tags.toSorted(),
    kinds: scope.kinds.toSorted(),
    layers: scope.layers.toSorted(),
  });
  for (const each of grants) it(each.name, () => ends(each.refused, () => readGrant(each.grant)));
  for (const each of decisions) {
    it(`decided: ${each.name}`, () => {
      const { bytes, tokens, ...wanted } = each.request;
      const decide = () =>
        allows(held(each.held), { ...wanted, cost: { calls: 1, bytes, tokens } }, now);
      if (typeof each.outcome === "string") ends(each.outcome, decide);
      else assert.deepEqual(sets(decide()), sets(each.outcome));
    });
  }
});

describe("texts", () => {
  const { around, letters, lines } = read("texts");
  for (const [kind, shape] of [
    ["line", line(80)],
    ["text", text(1, 80)],
  ]) {
    it(kind, () => {
      for (const each of letters) {
        const value = around.replace(
          "%s",
          String.fromCodePoint(Number.parseInt(each.code_point, 16)),
        );
        ends(each[kind] ? null : "malformed", () => shape(value, each.code_point));
      }
    });
  }
  for (const each of lines)
    it(each.name, () => ends(each.good ? null : "malformed", () => line(80)(each.line, "line")));
});

it("base64url has one written form", () => {
  for (let length = 0; length < 70; length += 1) {
    const data = new Uint8Array(createHash("sha512").update(String(length)).digest()).slice(
      0,
      length % 64,
    );
    assert.equal(toB64u(data), Buffer.from(data).toString("base64url"));
    assert.deepEqual(fromB64u(toB64u(data)), data);
  }
  for (const wrong of ["YWJ", "YWI=", "YW I", "Y", "YWI+"])
    assert.equal(fromB64u(wrong), undefined);
});

describe("discussions", () => {
  const { now, table, host, entries, records, grants, decisions, messages, handed } =
    read("discussions");
  const said = ([entry, words]) => [
    readEntry(entry),
    words === null ? undefined : readWords(words),
  ];
  for (const each of entries) it(each.name, () => ends(each.refused, () => readEntry(each.entry)));
  for (const each of records) {
    it(each.name, () => {
      const whole = () => {
        const made = Table.of(each.said.map(said));
        if (each.whole && (made.closed === undefined || made.withheld.length > 0))
          throw Object.assign(new Error(), { name: "Refusal", code: "malformed" });
        assert.equal(made.head.hash, each.head);
      };
      if (each.refused !== null && each.said.length > 1 && !each.whole)
        Table.of(each.said.slice(0, -1).map(said));
      ends(each.refused, whole);
    });
  }
  for (const each of grants)
    it(`grant: ${each.name}`, () => ends(each.refused, () => readTableGrant(each.grant)));
  for (const each of decisions)
    it(`grant: ${each.name}`, () =>
      ends(each.refused, () => {
        const scope = allowsTurn(each.held, each.request, now);
        if (each.scope) assert.deepEqual(plain(scope), each.scope);
      }));
  for (const each of messages) {
    it(`message: ${each.name}`, () => {
      const head = { v: 1, id: toB64u(new Uint8Array(16)), iss: host, aud: host, ts: now };
      const message = { ...head, exp: now + 60, verb: "discuss", body: each.body };
      const whole = each.answer ? { ...message, re: message.id } : message;
      ends(each.refused, () => checkMessage(whole, now, each.answer));
    });
  }
  for (const each of handed) {
    it(`handed: ${each.name}`, () =>
      ends(each.refused, () => {
        const came = each.entries.map(({ entry, words }) => said([entry, words]));
        const made = takeHanded({ id: table, host }, each.known.map(said), came, now);
        checkEnd(made, each.reader);
        assert.equal(made.entries.length, each.have);
      }));
  }
});

describe("sessions", () => {
  const vectors = read("sessions");
  const { now } = vectors;
  const keys = keysOf(people.asako);
  const grant = readGrant(vectors.grant);
  const bram = readCard(vectors.contact, now);
  const card = readCard(read("cards").known, now);
  const reply = {
    text: "Along the canal.",
    abstained: false,
    form: "answer",
    cites: [],
    tokens: 5,
  };
  for (const each of vectors.sessions) {
    it(each.name, async () => {
      const { context } = each;
      const memory = new Memory();
      if (!context.stranger) memory.keep({ card: bram, words: [], kana: [] }, []);
      if (context.changed) memory.contacts.get(bram.did).state = "changed";
      if (!context.no_grant)
        memory.given.set(grant.id, { grant, revoked: false, day: 0, spent: {} });
      for (const json of context.seen ?? [])
        memory.claim(JSON.parse(json), utf8(json), now).row.state = "answered";
      const answering = new Answering({
        keys,
        card: () => card,
        memory,
        pace: { admits: () => !context.busy },
        now: () => now,
        answer: async () => reply,
        discuss: async () => assert.fail("No vector discusses."),
        record: async () => {},
        tell: () => {},
        places: () => [],
      });
      let request;
      try {
        const data = raw(each.bytes);
        for (
          let end = each.chunk;
          request === undefined && end < data.length + each.chunk;
          end += each.chunk
        ) {
          request = unframed(data.subarray(0, end), 262_144);
        }
      } catch (error) {
        assert.deepEqual([error.code, each.outcome], [each.refused, "closed"]);
        return;
      }
      const said = request === undefined ? undefined : await answering.take(bram.peer, request);
      if (each.outcome === "closed") assert.equal(said, undefined);
      else if (each.outcome === "notice") assert.equal(readNotice(said), card.text);
      else {
        const { message } = open(said, keysOf(people.bram), keys.did, now, { answer: true });
        assert.deepEqual(
          plain(message.body),
          each.outcome === "answer" ? reply : { code: each.refused },
        );
      }
    });
  }
});
