// Ask somebody's second self: node example.js FILE LINK PURPOSE QUESTION
//
// FILE keeps private keys and the contact (0600). The first run says hello by LINK; then the person
// who made it has to give a grant for PURPOSE, which is waited for.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { once } from "node:events";

import { Client, Declined, NotReached, readInvite } from "./src/index.js";

const [file, link, purpose, question] = process.argv.slice(2);
if (question === undefined) {
  console.error("node example.js FILE LINK PURPOSE QUESTION");
  process.exit(2);
}

/** Keep what the client remembers: whole, or as it was. */
function save(saved) {
  writeFileSync(`${file}.part`, JSON.stringify(saved), { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

const saved = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
const listen = ["/ip4/127.0.0.1/tcp/0"];
const client = await Client.start({ name: "An example", listen, saved, save });
try {
  const { did } = readInvite(link);
  let contact = client.contacts.find((each) => each.card.did === did);
  if (contact === undefined) {
    contact = await client.accept(link);
    console.log(`${contact.card.name}. Read these aloud to each other: ${contact.words.join(" ")}`);
  }
  const stands = () => client.grants.some((each) => each.iss === did && each.purpose === purpose);
  while (!stands()) {
    console.log(`Waiting for a grant for “${purpose}” …`);
    await once(client, "grant");
  }
  const { text, cites } = await client.ask(contact, question, { purpose });
  console.log(text);
  for (const { layer, kind, quote } of cites) console.log(`  ${layer} ${kind}: ${quote ?? ""}`);
} catch (error) {
  if (!(error instanceof Declined || error instanceof NotReached)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  save(client.toJSON());
  await client.stop();
}
