export { Client } from "./client.js";
export { readInvite } from "./contact.js";
export { readGrant } from "./grants.js";
export { Keys, readCard } from "./keys.js";
export { Memory } from "./memory.js";
export { Table } from "./table.js";
export { readTableGrant } from "./table-grants.js";
export { AGAIN, Declined, NotReached, Refusal } from "./refusals.js";
