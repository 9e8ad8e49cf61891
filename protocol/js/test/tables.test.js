// The client at the table of a real node, over real sockets.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { Client, Refusal } from "../src/index.js";
import { event, HERE, Node } from "./beside.js";

const HUT = "The hut has six beds, and in May the road is open.";

describe("who is asked to a table of a node", () => {
  let node, client, contact, table;
  let kept;
  const asked = [];
  const speak = async (what) => {
    asked.push(what);
    if (asked.length === 2) throw new Refusal("out_of_scope", "by");
    const before = what.table.turns.at(-1);
    const cites = before === undefined ? [] : [{ turn: before.n }];
    return { text: `${HUT} Round ${String(what.round)}.`, cites };
  };
  const start = async (saved) =>
    Client.start({
      name: "Bram",
      listen: HERE,
      speak,
      save: (state) => void (kept = JSON.stringify(state)),
      saved,
    });
  /** Let the host go on until it is so. */
  const until = async (holds) => {
    for (;;) {
      const now = await node.do("goes_on", { table });
      if (holds(now)) return now;
      await pause(20);
    }
  };
  const steps = ({ said }) => said.map(([step]) => step);
  before(async () => {
    node = new Node("--tables");
    await node.heard();
    client = await start();
    contact = await client.accept(await node.do("invite"));
  });
  after(async () => {
    await client?.stop();
    await node.end();
  });

  it("is told what it is about, and says nothing before the person sits down", async () => {
    const came = event(client, "table");
    table = await node.do("table", { rounds: 2 });
    await until(() => client.tables.all.length > 0);
    const { aim } = await came;
    assert.equal(aim, "Where do we go in May?");
    assert.deepEqual(
      client.tables.all.map(({ state, members }) => [state, members.length]),
      [["invited", 2]],
    );
    assert.deepEqual(asked, []);
  });

  it("takes its turns under a grant for this table alone", async () => {
    const grant = await client.tables.sit(table, { tags: ["travel"], turns: 3 });
    assert.deepEqual([grant.table, grant.turns], [table, 3]);
    const { said } = await until((now) => steps(now).filter((each) => each === "turn").length >= 2);
    assert.equal(said.filter(([step]) => step === "joined").length, 2);
    const { scope, bytes } = asked[0];
    assert.deepEqual([scope.tags, scope.form, bytes > 255], [["travel"], "excerpt", true]);
    assert.equal(client.tables.all[0].turns, 1);
  });

  it("gives a host back what that lost, to the hash", async () => {
    const hashes = client.tables.read(table).entries.map(({ hash }) => hash);
    await node.do("loses", { table, n: 3 });
    const { said } = await until((now) => now.said.length >= hashes.length);
    assert.deepEqual(
      said.slice(0, hashes.length).map(([, hash]) => hash),
      hashes,
    );
  });

  it("goes on from what was kept, and types a word in between", async () => {
    await client.stop();
    const saved = JSON.parse(kept);
    saved.memory.tables[0].said.length = 2; // it lost the rest, and is handed it again
    client = await start(saved);
    contact = client.contacts[0];
    await client.tables.say(table, "I would rather go to the sea.");
    const { said, closed } = await until((now) => now.closed !== null);
    assert.equal(closed, "rounds");
    // the one that failed is in the record, and nothing was spent on it
    assert.deepEqual([steps({ said }).filter((each) => each === "failed").length], [1]);
    assert.equal(client.tables.all[0].turns, 1);
    const mine = client.tables.read(table);
    assert.ok(mine.turns.some(({ n }) => mine.words.get(n)?.text.includes("to the sea")));
  });

  it("has the same record as the host, to the hash", async () => {
    const whole = await until(() => client.tables.read(table).closed !== undefined);
    assert.deepEqual(
      client.tables.read(table).entries.map(({ step, hash }) => [step, hash, true]),
      whole.said.map(([step, hash, words]) => [step, hash, words || true]),
    );
  });

  it("strikes its own words after the end, everywhere", async () => {
    const { turns, words } = client.tables.read(table);
    const { n } = turns.find((each) => each.iss === client.did && words.has(each.n));
    await client.tables.strike(table, n);
    assert.equal(client.tables.read(table).words.has(n), false);
    const { said } = await until((now) => steps(now).at(-1) === "struck");
    assert.equal(said[n][2], false);
    await until(() => client.tables.read(table).struck.has(n));
    assert.equal(client.tables.all[0].said[n][1], null);
  });

  it("forgets the table, and is not asked to it again", async () => {
    await client.tables.forget(table);
    assert.deepEqual(client.tables.all, []);
    assert.throws(() => client.tables.read(table), TypeError);
  });
});
