// Two clients and nobody else: what a node is asked for on both sides.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { Client, Refusal } from "../src/index.js";

const HERE = ["/ip4/127.0.0.1/tcp/0"];
const HOW = { purpose: "planning" };
const REPLY = { text: "By the mill.", abstained: false, form: "answer", cites: [], tokens: 3 };

describe("two clients", () => {
  let asako, bram, toAsako, toBram;
  let reply = async () => REPLY;
  before(async () => {
    asako = await Client.start({ name: "Asako", listen: HERE, answer: (asked) => reply(asked) });
    bram = await Client.start({ name: "Bram", listen: HERE });
    toAsako = await bram.accept(await asako.invite());
    [toBram] = asako.contacts;
  });
  after(() => Promise.all([asako, bram].map((each) => each?.stop())));

  it("meet, and read the same words", () => {
    assert.deepEqual([toAsako.words, toAsako.kana], [toBram.words, toBram.kana]);
    assert.deepEqual([toAsako.addrs, toBram.addrs], [asako.addresses, bram.addresses]);
  });

  it("answer inside the scope of the grant, and pay what it cost", async () => {
    const grant = await asako.give(toBram, { ...HOW, verbs: ["ask"], tags: ["walks", "food"] });
    assert.deepEqual(bram.grants, [grant]);
    let seen;
    reply = async ({ scope }) => {
      seen = scope;
      return REPLY;
    };
    assert.deepEqual(
      { ...(await bram.ask(toAsako, "Where?", { ...HOW, scope: { tags: ["food"] } })) },
      REPLY,
    );
    assert.deepEqual([seen.tags, seen.form, seen.purpose], [["food"], "answer", "planning"]);
    const { spent } = asako.memory.given.get(grant.id);
    assert.deepEqual(spent, { calls: 1, bytes: JSON.stringify(REPLY).length, tokens: 3 });
    await assert.rejects(bram.recall(toAsako, "food", { ...HOW, grant: grant.id }), {
      code: "out_of_scope",
    });
  });

  it("do nothing twice, and say the same again", async () => {
    let asked = 0;
    reply = async () => {
      asked += 1;
      throw new Refusal("busy");
    };
    const busy = await bram.ask(toAsako, "Where?", HOW).catch((error) => error);
    assert.deepEqual([busy.code, busy.again], ["busy", "same"]);
    reply = async () => {
      asked += 1;
      return REPLY;
    };
    assert.equal((await bram.send(toAsako, busy.request)).text, REPLY.text);
    assert.equal((await bram.send(toAsako, busy.request)).text, REPLY.text);
    assert.equal(asked, 2);
    await assert.rejects(
      bram.send(toAsako, {
        ...busy.request,
        body: { ...busy.request.body, question: "What else?" },
      }),
      { code: "replay" },
    );
  });

  it("find back to each other by a notice when a box key is gone", async () => {
    const old = toAsako.card.seq;
    asako.keys.box.made -= 8 * 86_400;
    assert.ok(asako.card.seq > old);
    asako.keys.boxes.length = 1;
    assert.equal((await bram.ask(toAsako, "Where?", HOW)).text, REPLY.text);
    assert.ok(toAsako.card.seq > old);
  });

  it("are held to a pace", async () => {
    const ends = [];
    for (let times = 0; times < 9; times += 1)
      ends.push(
        await bram.ask(toAsako, "Where?", HOW).then(
          () => "answered",
          ({ code }) => code,
        ),
      );
    assert.ok(ends.includes("busy"));
  });

  it("wait for a yes where the grant says so", async () => {
    const patient = await Client.start({ name: "Chika", listen: HERE });
    try {
      const contact = await patient.accept(await asako.invite());
      const [, toChika] = asako.contacts;
      await asako.give(toChika, { ...HOW, consent: "ask" });
      const waits = await patient.ask(contact, "Where?", HOW).catch((error) => error);
      assert.equal(waits.code, "consent_required");
      asako.consent(waits.request.id);
      assert.equal((await patient.send(contact, waits.request)).text, REPLY.text);
    } finally {
      await patient.stop();
    }
  });

  it("end on both sides", async () => {
    await bram.bye(toAsako);
    assert.equal(toBram.state, "ended");
    assert.equal(bram.grants.length, 0);
    await assert.rejects(asako.give(toBram, HOW), { name: "NotReached" });
  });
});
