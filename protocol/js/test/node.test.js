// The client and a real node, over real sockets.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { Client, Declined, NotReached } from "../src/index.js";
import { event, HERE, Node } from "./beside.js";

const HOW = { purpose: "a visit" };
const TEXT = "Along the Tessellated canal.";
const MINE = { text: "By the mill.", abstained: false, form: "answer", cites: [], tokens: 3 };

async function granted(node, client, verbs, consent = "auto") {
  const came = event(client, "grant");
  const id = await node.do("give", { ...HOW, verbs, consent });
  const { grant } = await came;
  assert.equal(grant.id, id);
  return id;
}

describe("who was invited by a node", () => {
  let node, client, contact;
  const kept = [];
  before(async () => {
    node = new Node();
    await node.heard();
    client = await Client.start({
      name: "Bram",
      listen: HERE,
      answer: async () => MINE,
      save: (saved) => void kept.push(JSON.stringify(saved)),
    });
    contact = await client.accept(await node.do("invite"));
  });
  after(async () => {
    await client?.stop();
    await node.end();
  });

  it("reads the same six words, and is found where it listens", async () => {
    assert.deepEqual([contact.words, contact.card.name], [await node.do("words"), "Asako"]);
    assert.deepEqual(await node.do("addresses"), client.addresses);
  });

  it("asks and recalls under a grant, and is refused where it ends", async () => {
    await assert.rejects(client.ask(contact, "Where?", HOW), {
      name: "Declined",
      code: "no_grant",
    });
    const id = await granted(node, client, ["ask", "recall"]);
    assert.equal((await client.ask(contact, "Where did we walk in Aldermoor?", HOW)).text, TEXT);
    assert.equal((await client.recall(contact, "canal", HOW)).items[0].text, "… canal …");
    await assert.rejects(client.ask(contact, "Where?", { ...HOW, scope: { layers: ["L2"] } }), {
      code: "out_of_scope",
      again: "new",
    });
    const ended = event(client, "revoked");
    await node.do("revoke", { grant: id });
    await assert.rejects(client.ask(contact, "Where?", { ...HOW, grant: id }), {
      name: "Declined",
      code: "revoked",
    });
    await ended;
    assert.deepEqual(client.grants, []);
  });

  it("sends the same message again, and gets the same answer", async () => {
    await granted(node, client, ["ask"], "ask");
    const waits = await client.ask(contact, "Where?", HOW).catch((error) => error);
    assert.ok(waits instanceof Declined);
    assert.deepEqual([waits.code, waits.again], ["consent_required", "same"]);
    await assert.rejects(client.send(contact, waits.request), { code: "consent_required" });
  });

  it("answers under a grant that it gave, and no other", async () => {
    const grant = await client.give(contact, HOW);
    assert.ok((await node.do("received")).includes(grant.id));
    assert.deepEqual(await node.do("ask", { grant: grant.id, ...HOW }), {
      state: "answered",
      code: "",
      answer: MINE,
    });
    const spent = client.memory.given.get(grant.id).spent;
    assert.deepEqual([spent.calls, spent.tokens], [1, MINE.tokens]);
    assert.equal(
      (await node.do("ask", { grant: grant.id, purpose: "another" })).code,
      "out_of_scope",
    );
    await client.revoke(grant.id);
    assert.equal((await node.do("ask", { grant: grant.id, ...HOW })).code, "revoked");
  });

  it("goes on from what was kept, as the same", async () => {
    await client.stop();
    const known = { did: contact.card.did };
    client = await Client.start({
      name: "Bram",
      listen: HERE,
      answer: async () => MINE,
      saved: JSON.parse(kept.at(-1)),
    });
    contact = client.memory.contacts.get(known.did);
    assert.equal(contact.words.length, 6);
    // it listens at another place now, of which the node learns when it comes
    await assert.rejects(client.ask(contact, "Where?", HOW), { code: "consent_required" });
    while (!client.addresses.every((each) => known.places?.includes(each)))
      known.places = await node.do("addresses");
    const id = await granted(node, client, ["ask"]);
    assert.equal((await client.ask(contact, "Where?", { ...HOW, grant: id })).text, TEXT);
  });

  it("says goodbye", async () => {
    await client.bye(contact);
    assert.deepEqual([client.contacts, client.grants], [[], []]);
  });
});

describe("who invites a node", () => {
  let node, client;
  before(async () => {
    node = new Node();
    await node.heard();
    client = await Client.start({ name: "Bram", listen: HERE });
  });
  after(async () => {
    await client?.stop();
    await node.end();
  });

  it("becomes its contact, once", async () => {
    const link = await client.invite();
    const came = event(client, "contact");
    const { state, words } = await node.do("accept", { link });
    const { contact } = await came;
    assert.deepEqual([state, words], ["answered", contact.words]);
    assert.equal(client.memory.invites.size, 0);
    await granted(node, client, ["ask"]);
    assert.equal((await client.ask(contact, "Where did we walk?", HOW)).text, TEXT);
  });

  it("is not to be entered without an invite", async () => {
    const other = await Client.start({ name: "Mallory" });
    try {
      const link = await client.invite();
      client.memory.invites.clear();
      await assert.rejects(other.accept(link), NotReached);
    } finally {
      await other.stop();
    }
  });
});
