// Broken bytes end in a value or a refusal, never in another error.
import "../src/node20.js";

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { it } from "node:test";

import { Answering } from "../src/answering.js";
import { fromB64u, toB64u, unframed, utf8 } from "../src/bytes.js";
import { readInvite } from "../src/contact.js";
import { readNotice, seal } from "../src/envelope.js";
import { readGrant } from "../src/grants.js";
import { readJson } from "../src/json.js";
import { Keys, readCard, readRotation, writeCard } from "../src/keys.js";
import { Memory } from "../src/memory.js";
import { checkMessage, newId } from "../src/messages.js";
import { Refusal } from "../src/refusals.js";

const NOW = 1_800_000_000;
const read = (name) =>
  JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), "utf8"));

/** Numbers that look random and are the same each time. */
function* dice(seed) {
  for (let state = utf8(seed); ;) {
    state = createHash("sha256").update(state).digest();
    yield* state;
  }
}

/** Change, cut, double or fill a few of the bytes. */
function broken(data, die) {
  const roll = (most) => ((die.next().value << 8) | die.next().value) % Math.max(1, most);
  let out = data.slice();
  for (let times = 1 + roll(3); times > 0; times -= 1) {
    const at = roll(out.length);
    const end = Math.min(out.length, at + roll(9));
    const piece = out.slice(at, end);
    const how = roll(4);
    if (how === 0 && out.length > 0) out[at] = roll(256);
    else if (how === 1) out = new Uint8Array([...out.slice(0, at), ...out.slice(end)]);
    else if (how === 2) out = new Uint8Array([...out.slice(0, end), ...piece, ...out.slice(end)]);
    else out = new Uint8Array([...out.slice(0, at), ...utf8('{"[]:,\\u0-1eE.'), ...out.slice(at)]);
  }
  return out;
}

/** What it gives, or undefined where it refuses. */
function tried(what) {
  try {
    return what();
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error.stack));
    return undefined;
  }
}

it("json is read as JSON.parse reads it, or refused", () => {
  const die = dice("json");
  const whole = utf8(
    JSON.stringify(read("envelopes").made) + '[true,null,-1,0,"\\n\\ud83d\\ude00犬"]',
  );
  for (let times = 0; times < 20_000; times += 1) {
    const data = broken(times % 2 ? whole.slice(-34) : utf8('{"a":[1,{"b":"c"}],"d":-7}'), die);
    const value = tried(() => readJson(data));
    if (value === undefined) continue;
    const text = new TextDecoder().decode(data);
    assert.deepEqual(JSON.parse(JSON.stringify(value)), JSON.parse(text));
  }
});

it("statements, links, frames and messages are read or refused", () => {
  const die = dice("statements");
  const { link } = read("contact");
  const message = JSON.parse(read("envelopes").made.json);
  const readers = [
    [read("cards").known, (text) => readCard(text, NOW)],
    [read("sessions").grant, readGrant],
    [read("rotations").rotations[0].rotation, (text) => readRotation(text, NOW)],
  ];
  for (let times = 0; times < 1_500; times += 1) {
    for (const [text, reader] of readers) {
      tried(() => reader(toB64u(broken(fromB64u(text), die))));
      tried(() => reader(String.fromCharCode(...broken(utf8(text), die))));
    }
    tried(() => readInvite(`smp://i/${toB64u(broken(fromB64u(link.slice(8)), die))}`));
    tried(() => unframed(broken(Uint8Array.of(3, 1, 2, 3), die), 1_000));
    const value = tried(() => readJson(broken(utf8(JSON.stringify(message)), die)));
    if (value !== null && typeof value === "object") tried(() => checkMessage(value, NOW, false));
  }
});

it("whatever a contact sends is answered, told of a card, or closed", async () => {
  const die = dice("requests");
  const [mine, theirs] = [Keys.make(NOW), Keys.make(NOW)];
  const about = { verbs: ["ask"], seq: 1, exp: NOW + 86_400 };
  const memory = new Memory();
  const theirCard = writeCard(theirs, { name: "Bram", ...about });
  memory.keep({ card: theirCard, words: [], kana: [] }, []);
  const card = writeCard(mine, { name: "Asako", ...about });
  const answering = new Answering({
    keys: mine,
    card: () => card,
    memory,
    pace: { admits: () => true },
    now: () => NOW,
    answer: async () => ({ nothing: "of that shape" }),
    record: async () => {},
    tell: () => {},
    places: () => [],
  });
  const head = { v: 1, iss: theirs.did, aud: mine.did, ts: NOW, exp: NOW + 60 };
  const bodies = [
    ["card", { card: theirCard.text }],
    ["grant", { give: read("sessions").grant }],
    ["hello", read("contact").hello],
    ["ask", { question: "Where?", purpose: "x", bytes: 1_024, tokens: 1 }],
    ["__proto__", {}],
    ["toString", {}],
  ];
  let closed = 0;
  for (let times = 0; times < 1_000; times += 1) {
    const [verb, body] = bodies[times % bodies.length];
    const json = utf8(JSON.stringify({ ...head, id: newId(), verb, body }));
    const signed = times % 3 === 0 ? json : broken(json, die);
    const sealed = seal(
      { json: signed, signature: theirs.sign("msg", signed) },
      mine.box.public,
      262_144,
    );
    const said = await answering.take(theirs.peer, times % 5 ? sealed : broken(sealed, die));
    closed += said === undefined || readNotice(said) !== undefined ? 1 : 0;
  }
  assert.ok(closed > 0 && closed < 1_000);
});
