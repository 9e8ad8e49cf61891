// What an owner allows one table (protocol/spec/discussion.md): a grant of version 2.
import { narrowed } from "./grants.js";
import { DAY, DID, readStatement } from "./keys.js";
import { checkTags, FORM, KINDS, LAYERS, PURPOSE, TAGS, WORDS_TEXT } from "./messages.js";
import { Refusal } from "./refusals.js";
import { choice, ID, misshapen, number, orNull, record, SECONDS } from "./shape.js";

const LIFE = 30 * DAY;
const GRANT = record({
  v: number(2, 2),
  id: ID,
  iss: DID,
  aud: DID,
  table: ID,
  nbf: SECONDS,
  exp: SECONDS,
  tags: TAGS,
  kinds: KINDS,
  layers: LAYERS,
  since: orNull(SECONDS),
  until: orNull(SECONDS),
  form: FORM,
  purpose: PURPOSE,
  turns: number(1, 200),
  bytes: number(256, WORDS_TEXT),
  tokens: number(1, 8_192),
  consent: choice(["auto", "ask"]),
});

/**
 * @typedef {import("./grants.js").Scope & {v: 2, id: string, iss: string, aud: string, table:
 * string, nbf: number, exp: number, turns: number, bytes: number, tokens: number, consent: "auto" |
 * "ask"}} TableGrant
 */
/** @typedef {{grant: TableGrant, revoked?: boolean, turns?: number}} HeldTableGrant */
/**
 * @typedef {{by: string, owner: string, table: string, bytes: number, tokens: number, scope?: any,
 * consented?: boolean}} TurnRequest
 */

/**
 * Read and verify one. Refuses `malformed`, `bad_signature`.
 * @param {string} carried @returns {TableGrant}
 */
export function readTableGrant(carried) {
  const value = readStatement(carried, 16_384, "grant", "iss");
  GRANT(value, "grant");
  checkTags(value.tags);
  if (value.iss === value.aud) misshapen("grant.aud");
  if (value.nbf >= value.exp || value.exp > value.nbf + LIFE) misshapen("grant.exp");
  if (value.since !== null && value.until !== null && value.since >= value.until)
    misshapen("grant.until");
  return value;
}

/**
 * The scope that a turn is made from; refuses with the first check that fails.
 * @param {HeldTableGrant} held @param {TurnRequest} asked @param {number} now
 */
export function allowsTurn({ grant, revoked, turns = 0 }, asked, now) {
  if (grant.aud !== asked.by || grant.iss !== asked.owner) throw new Refusal("no_grant", "aud");
  if (revoked) throw new Refusal("revoked", "grant");
  if (now < grant.nbf || now >= grant.exp) throw new Refusal("grant_expired", "grant");
  if (grant.table !== asked.table) throw new Refusal("out_of_scope", "table");
  const scope = narrowed(grant, asked.scope ?? {});
  if (turns >= grant.turns || asked.bytes > grant.bytes || asked.tokens > grant.tokens)
    throw new Refusal("over_budget", "turns");
  if (grant.consent === "ask" && !asked.consented) throw new Refusal("consent_required", "consent");
  return scope;
}
