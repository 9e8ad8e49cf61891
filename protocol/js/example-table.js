// Sit at the tables of a contact: node example-table.js FILE LINK ADDRESS TAG WORDS
//
// FILE keeps private keys, the contact and the records (0600), LINK is an invite of the contact,
// ADDRESS (/ip4/…/tcp/…) is where their node reaches this one. It sits down at every table that it
// is asked to, says WORDS in each turn, prints what is said, and goes on where it was after a kill.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

import { Client, readInvite } from "./src/index.js";

const [file, link, address, tag, words] = process.argv.slice(2);
if (words === undefined) {
  console.error("node example-table.js FILE LINK ADDRESS TAG WORDS");
  process.exit(2);
}

/** Keep what the client remembers: whole, or as it was. */
function save(saved) {
  writeFileSync(`${file}.part`, JSON.stringify(saved), { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

const saved = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
const client = await Client.start({
  name: "An example",
  listen: [address],
  saved,
  save,
  speak: async ({ table }) => {
    const last = table.turns.at(-1);
    return { text: words, cites: last === undefined ? [] : [{ turn: last.n }] };
  },
});
const sit = ({ table }) => client.tables.sit(table, { tags: [tag] });
client.addEventListener("table", ({ detail }) => void sit(detail));
client.addEventListener("said", ({ detail: { table } }) => {
  const { step, fields, n, hash } = table.head;
  console.log(`${String(n)} ${hash} ${step} ${fields.by ?? ""} ${table.words.get(n)?.text ?? ""}`);
});
const { did } = readInvite(link);
if (!client.contacts.some(({ card }) => card.did === did)) await client.accept(link);
for (const seat of client.tables.all) if (seat.state === "invited") await sit(seat);
console.log("ready");
process.stdin.on("end", () => client.stop()).resume();
